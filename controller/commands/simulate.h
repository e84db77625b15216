// `scaledcache simulate`: plays scenario files and checks what they expect.
#pragma once

#include <span>
#include <string>

#include "controller/commands/command.h"
#include "controller/commands/console.h"

namespace scaledcache::controller {

[[nodiscard]] const CommandSpec& simulate_spec();

// `args` without the program and the subcommand. Exit status: 0 when every expectation holds, 1
// when one does not, 2 for wrong arguments or a file that cannot be read.
[[nodiscard]] int simulate(std::span<const std::string> args, const Console& console);

}  // namespace scaledcache::controller
