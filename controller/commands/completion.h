// Shell completion, generated from the tables of the commands.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "controller/commands/command.h"

namespace scaledcache::controller {

// The names of the shells, in the order of help texts.
inline constexpr std::string_view kShells[] = {"bash", "zsh", "fish"};

// The script that the shell has to read; nothing for a shell that is none of kShells.
[[nodiscard]] std::optional<std::string> completion_script(std::string_view shell,
                                                           std::span<const CommandSpec> commands);

}  // namespace scaledcache::controller
