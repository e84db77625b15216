#include "base/json.h"

#include <doctest/doctest.h>

namespace scaledcache {
namespace {

TEST_CASE("parse_json stops at the depth it is told") {
  CHECK(parse_json("[[[1]]]", 3));
  const auto deep = parse_json("[[[[1]]]]", 3);
  REQUIRE_FALSE(deep);
  CHECK(deep.error().code == ErrorCode::Protocol);
}

TEST_CASE("parse_json survives a million brackets") {
  const auto bomb = parse_json(std::string(1'000'000, '['), 32);
  REQUIRE_FALSE(bomb);
  CHECK(bomb.error().message.find("deeper than 32") != std::string::npos);
}

TEST_CASE("brackets inside strings are no depth") {
  CHECK(parse_json(R"({"a":"[[[[\"[[{{"})", 1));
  CHECK(parse_json(R"(["\\",[1]])", 2));
  CHECK_FALSE(parse_json(R"(["\\",[1]])", 1));
}

TEST_CASE("a long array of objects is read in linear time") {
  std::string text = "[";
  for (int i = 0; i < 1'000'000; ++i) {
    text += "{},";
  }
  CHECK(parse_json(text + "{}]", 2));
}

TEST_CASE("parse_json refuses what is cut off or no JSON at all") {
  for (const char* text : {"", "{", "{\"a\":1", "<html></html>", "{\"a\":NaN}", "{} {}"}) {
    SUBCASE(text) {
      CHECK_FALSE(parse_json(text, 32));
    }
  }
}

TEST_CASE("dump_json replaces bytes that are not UTF-8") {
  CHECK(dump_json(Json("a\xff")) == "\"a\xEF\xBF\xBD\"");
}

TEST_CASE("members of the wrong type read as absent") {
  const Json object = {{"text", "a"}, {"number", 7}};
  CHECK(string_member(object, "text") == "a");
  CHECK(string_member(object, "number").empty());
  CHECK(integer_member(object, "number", -1) == 7);
  CHECK(integer_member(object, "text", -1) == -1);
  CHECK(find_member(Json::array(), "text") == nullptr);
}

}  // namespace
}  // namespace scaledcache
