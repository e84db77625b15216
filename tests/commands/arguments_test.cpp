#include "controller/commands/arguments.h"

#include <doctest/doctest.h>

#include "controller/commands/help.h"

namespace scaledcache::controller {
namespace {

CommandSpec sample() {
  return {.name = "paint",
          .summary = "paint a wall",
          .synopses = {"paint [flags] WALL..."},
          .description = {"Paints."},
          .flags = {{.name = "colour", .value = "NAME", .help = "which colour", .letter = 'c'},
                    {.name = "coats", .value = "N", .help = "how many", .repeats = true},
                    {.name = "dry", .value = "", .help = "do nothing"},
                    output_flag({"text", "json"})},
          .examples = {{"paint -c red kitchen", "A red kitchen"}},
          .exits = {{0, "painted"}},
          .words = Word::Text};
}

Result<Arguments> parse(std::vector<std::string> arguments) {
  return parse_arguments(sample(), arguments);
}

TEST_CASE("flags come in four forms, words in any place") {
  const auto parsed = parse({"kitchen", "--colour", "red", "--coats=1", "-o=json", "--dry", "-c",
                             "blue", "--coats", "2", "-", "--", "--hall"});
  REQUIRE(parsed);
  CHECK(parsed->value("colour") == "blue");
  CHECK(parsed->values("coats") == std::vector<std::string>{"1", "2"});
  CHECK(parsed->value("output") == "json");
  CHECK(parsed->has("dry"));
  CHECK(parsed->words() == std::vector<std::string>{"kitchen", "-", "--hall"});
}

TEST_CASE("what was not given is absent") {
  const auto parsed = parse({});
  REQUIRE(parsed);
  CHECK_FALSE(parsed->has("dry"));
  CHECK(parsed->value("output", "text") == "text");
  CHECK(parsed->values("coats").empty());
}

TEST_CASE("a wrong command line is one sentence, with what was meant") {
  struct Row {
    std::vector<std::string> arguments;
    const char* want;
  };

  for (const Row& row :
       {Row{{"--color=red"}, "--color is no flag of paint; did you mean --colour?"},
        Row{{"--zzzzzzzzz"}, "--zzzzzzzzz is no flag of paint"},
        Row{{"-x"}, "-x is no flag of paint"}, Row{{"--colour"}, "--colour needs a value: NAME"},
        Row{{"--dry=yes"}, "--dry takes no value"},
        Row{{"-o", "xml"}, "-o=\"xml\": use text or json"}}) {
    CAPTURE(row.want);
    const auto parsed = parse(row.arguments);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().message.starts_with(row.want));
  }
}

TEST_CASE("the help has usage, every flag, examples and exit statuses") {
  const std::string help = help_of("kubectl scaledcache", sample());
  for (const char* part : {"Usage: kubectl scaledcache paint [flags] WALL...", "-c, --colour NAME",
                           "--dry", "-o, --output FORMAT", "-h, --help", "# A red kitchen",
                           "kubectl scaledcache paint -c red kitchen", "0  painted"}) {
    CHECK_MESSAGE(help.find(part) != std::string::npos, part, " in ", help);
  }
}

TEST_CASE("the manual page names commands and flags, and no line of text starts a request") {
  const std::vector<CommandSpec> commands{sample()};
  const std::string page = manual_page("1.2.3", commands);
  CHECK(page.find(".SS paint") != std::string::npos);
  CHECK(page.find("\\-\\-colour NAME") != std::string::npos);
  CHECK(page.find("scaledcache 1.2.3") != std::string::npos);
}

}  // namespace
}  // namespace scaledcache::controller
