#include "controller/commands/completion.h"

#include <doctest/doctest.h>

#include "controller/commands/convert.h"
#include "controller/commands/simulate.h"
#include "controller/commands/validate.h"

namespace scaledcache::controller {
namespace {

TEST_CASE("each shell's script knows every command, flag and choice") {
  const std::vector<CommandSpec> commands{validate_spec(), convert_spec(), simulate_spec()};
  for (const std::string_view shell : kShells) {
    CAPTURE(shell);
    const auto script = completion_script(shell, commands);
    REQUIRE(script);
    for (const CommandSpec& command : commands) {
      CHECK(script->find(command.name) != std::string::npos);
      for (const Flag& flag : command.flags) {
        const std::string form = shell == "fish" ? "-l " + flag.name : "--" + flag.name;
        CHECK_MESSAGE(script->find(form) != std::string::npos, form);
      }
    }
    CHECK(script->find("text json yaml") != std::string::npos);
  }
}

TEST_CASE("a quote in a sentence does not end the script's own") {
  CommandSpec command{.name = "x", .summary = "what's new", .synopses = {"x"}};
  const std::vector<CommandSpec> commands{command};
  CHECK(completion_script("fish", commands)->find("'what'\\''s new'") != std::string::npos);
}

TEST_CASE("other shells have no script") {
  CHECK_FALSE(completion_script("tcsh", {}));
}

}  // namespace
}  // namespace scaledcache::controller
