// `scaledcache simulate`: plays scenario files and checks what they expect.
#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "controller/commands/command.h"

namespace scaledcache::controller {

[[nodiscard]] const CommandSpec& simulate_spec();

// `args` without the program and the subcommand. Exit status: 0 when every expectation holds, 1
// when one does not, 2 for wrong arguments or a file that cannot be read.
[[nodiscard]] int simulate(std::span<const std::string> args, std::ostream& out, std::ostream& err);

}  // namespace scaledcache::controller
