#include "controller/commands/terminal.h"

#include <ostream>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

namespace scaledcache::controller::test {
namespace {

TEST_CASE("what others have written cannot steer the terminal") {
  struct Row {
    const char* name;
    std::string text;
    std::string want;
  };

  for (const Row& row : {
           Row{"text, tabs and line ends", "a\tb\nc \xc3\xa9 \xe2\x82\xac",
               "a\tb\nc \xc3\xa9 \xe2\x82\xac"},
           Row{"our colours", "\x1b[31mbad\x1b[0m \x1b[1;33m", "\x1b[31mbad\x1b[0m \x1b[1;33m"},
           Row{"the screen cleared", "\x1b[2J", "^[[2J"},
           Row{"the title set", "\x1b]0;x\a", "^[]0;x^G"},
           Row{"the cursor moved", "a\rb\bc\x1b[1A", "a^Mb^Hc^[[1A"},
           Row{"an escape before a colour", "\x1b\x1b[31m", "^[\x1b[31m"},
           Row{"a colour without an end", "\x1b[31", "^[[31"},
           Row{"a colour that is too long", "\x1b[11111111111111111m", "^[[11111111111111111m"},
           Row{"delete and zero", std::string("\x7f\0", 2), "^?^@"},
           Row{"escape in eight bits",
               "\xc2\x9b"
               "2J",
               "?2J"},
           Row{"half a letter", "\xc2", "\xc2"},
       }) {
    SUBCASE(row.name) {
      std::stringbuf terminal;
      {
        TerminalBuffer buffer(terminal);
        std::ostream(&buffer) << row.text << std::flush;
      }
      CHECK(terminal.str() == row.want);
    }
  }
}

}  // namespace
}  // namespace scaledcache::controller::test
