#include "controller/commands/progress.h"

#include <sstream>

#include <doctest/doctest.h>

namespace scaledcache::controller {
namespace {

struct Terminal {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
};

TEST_CASE("the bar grows with the work") {
  CHECK(progress_bar(0, 4, 8) == "[>       ]  0/4");
  CHECK(progress_bar(2, 4, 8) == "[====>   ]  2/4");
  CHECK(progress_bar(4, 4, 8) == "[========]  4/4");
  CHECK(progress_bar(0, 0, 4) == "[>   ]  0/0");
}

TEST_CASE("it is drawn over itself, and gone in the end") {
  Terminal terminal;
  {
    const Console live{.in = terminal.in, .out = terminal.out, .err = terminal.err, .live = true};
    Progress progress(live, 2);
    progress.step();
  }
  CHECK(terminal.err.str().starts_with("\r["));
  CHECK(terminal.err.str().ends_with("\r\x1b[K"));
  CHECK(terminal.out.str().empty());
}

TEST_CASE("where err is no terminal, and for a single piece of work, nothing is drawn") {
  Terminal terminal;
  const Console file{.in = terminal.in, .out = terminal.out, .err = terminal.err};
  Progress many(file, 10);
  many.step();
  const Console live{.in = terminal.in, .out = terminal.out, .err = terminal.err, .live = true};
  Progress one(live, 1);
  one.step();
  CHECK(terminal.err.str().empty());
}

}  // namespace
}  // namespace scaledcache::controller
