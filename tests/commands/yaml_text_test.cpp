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
      {"time", "1h30m"},
      {"zero", "0"},
      {"address", "http://prometheus.monitoring:9090"},
      {"colon", "a:"},
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

TEST_CASE("a comment that does not fit behind its field stands above it") {
  const std::string query(60, 'q');
  const std::string said(60, 's');
  CHECK(yaml_text({{"spec", {{"query", query}}}}, {{"spec.query", said}}) ==
        "spec:\n  # " + said + "\n  query: " + query + "\n");
}

TEST_CASE("a document comes as --output wants it, whatever bytes it holds") {
  const OrderedJson value = {{"a", {{"b", 1}}}};
  CHECK(document_text(value, "yaml") == "a:\n  b: 1\n");
  CHECK(document_text(value, "json") == "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n");
  OrderedJson broken;
  broken["a"] = "\xff";
  CHECK(document_text(broken, "json") == "{\n  \"a\": \"\xef\xbf\xbd\"\n}\n");
}

TEST_CASE("times and addresses need no quotes") {
  CHECK(yaml_text({{"a", "30s"}, {"b", "http://x:9090/y"}, {"c", "0"}, {"d", "1.5"}}) ==
        "a: 30s\nb: http://x:9090/y\nc: '0'\nd: '1.5'\n");
}

}  // namespace
}  // namespace scaledcache::controller::test
