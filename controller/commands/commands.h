// The subcommands of the binary. Each returns the exit code: 0 done, 1 failed, 2 the input could
// not be read.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "controller/commands/command.h"
#include "controller/commands/console.h"
#include "controller/options.h"

namespace scaledcache::controller {

// All of them, in the order of the help text.
[[nodiscard]] std::vector<CommandSpec> all_commands();

// Runs the subcommand named by the first argument. `program` is the path it was started by: as
// "kubectl-scaledcache" it speaks as a plugin of kubectl.
[[nodiscard]] int run_command(std::string_view program, std::span<const std::string> arguments);

// The same without the process around it.
[[nodiscard]] int run_command(std::span<const std::string> arguments,
                              const Console& console,
                              const Environment& environment);

[[nodiscard]] const CommandSpec& controller_spec();
[[nodiscard]] int run_controller(std::span<const std::string> arguments,
                                 const Environment& environment);

}  // namespace scaledcache::controller
