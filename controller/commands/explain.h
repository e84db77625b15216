// `scaledcache explain`: why the count of a ScaledCache is what it is, or, with --log, every
// decision of a log made again from the inputs that its line holds.
#pragma once

#include <span>
#include <string>

#include "controller/commands/cluster.h"
#include "controller/commands/command.h"
#include "controller/commands/console.h"

namespace scaledcache::controller {

[[nodiscard]] const CommandSpec& explain_spec();

// `args` without the program and the subcommand. Exit status: 0 when the cache was explained, or
// every decision of the log comes out the same; 1 when one does not or there is none; 2 for wrong
// arguments, a file that cannot be read, a cluster or a ScaledCache that cannot be reached.
[[nodiscard]] int explain(std::span<const std::string> args,
                          const Console& console,
                          const EnvironmentMap& environment);

}  // namespace scaledcache::controller
