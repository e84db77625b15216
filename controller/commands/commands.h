// The subcommands of the binary. Each returns the exit code: 0 done, 1 failed, 2 the input could
// not be read.
#pragma once

#include <span>
#include <string>

namespace scaledcache::controller {

// Runs the subcommand named by the first argument.
[[nodiscard]] int run_command(std::span<const std::string> arguments);

[[nodiscard]] int run_controller(std::span<const std::string> arguments);

}  // namespace scaledcache::controller
