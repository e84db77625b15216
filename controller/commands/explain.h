// `scaledcache explain --log FILE`: makes every decision of a log again from the inputs that its
// line holds, and reports those that would come out differently.
#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace scaledcache::controller {

// `args` without the program and the subcommand; FILE "-" is `in`. Exit status: 0 when every
// decision comes out the same, 1 when one does not or there is none, 2 for wrong arguments or a
// file that cannot be read.
[[nodiscard]] int explain(std::span<const std::string> args,
                          std::istream& in,
                          std::ostream& out,
                          std::ostream& err);

}  // namespace scaledcache::controller
