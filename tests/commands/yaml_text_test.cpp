#include "controller/commands/yaml_text.h"

#include <doctest/doctest.h>

#include "commands/run.h"

namespace scaledcache::controller::test {
namespace {

TEST_CASE("what is written reads back as the same value") {
  const OrderedJson value = {
      {"plain", "varnish-burst"},
      {"number like", "200"},
      {"yes like", "yes"},
      {"query", "sum(rate(x{a=\"b\"}[$window])) # all"},
      {"quote", "it's"},
      {"lines", "a\nb\t\"c\""},
      {"empty", ""},
      {"count", 3},
      {"share", 0.25},
      {"on", true},
      {"nothing", nullptr},
      {"map",
       {{"list", {1, "2", {{"deep", OrderedJson::array()}, {"x", OrderedJson::object()}}}}}}};
  const auto read = documents(yaml_text(value));
  REQUIRE(read.size() == 1);
  CHECK(read[0].value == Json(value));
}

TEST_CASE("fields keep their order, and comments stand where they belong") {
  const OrderedJson value = {
      {"b", 1}, {"a", {{"z", "x"}}}, {"list", {{{"q", "up"}, {"count", 2}}}}};
  CHECK(yaml_text(value, {{"b", "first"}, {"a", "a map"}, {"list[0].q", "a query"}}) ==
        "b: 1  # first\n# a map\na:\n  z: x\nlist:\n  - q: up  # a query\n    count: 2\n");
}

}  // namespace
}  // namespace scaledcache::controller::test
