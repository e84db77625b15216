// The texts that tell how to use the program, made from the tables of its commands.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "controller/commands/command.h"

namespace scaledcache::controller {

// What `PROGRAM --help` prints: the commands, one a line.
[[nodiscard]] std::string overview(std::string_view program, std::span<const CommandSpec> commands);

// What `PROGRAM COMMAND --help` prints.
[[nodiscard]] std::string help_of(std::string_view program, const CommandSpec& command);

// The usage lines alone, for a command line that could not be read.
[[nodiscard]] std::string usage_of(std::string_view program, const CommandSpec& command);

// The manual page, in roff.
[[nodiscard]] std::string manual_page(std::string_view version,
                                      std::span<const CommandSpec> commands);

}  // namespace scaledcache::controller
