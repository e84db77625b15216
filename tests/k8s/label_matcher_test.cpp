#include "k8s/label_matcher.h"

#include <doctest/doctest.h>

namespace scaledcache::k8s {
namespace {

TEST_CASE("parse_label_matchers reads what stands between the braces of a selector") {
  const auto parsed =
      parse_label_matchers(R"({job="varnish", host != 'admin',path=~"a\\.b\"c", code!~"5..",})");
  REQUIRE(parsed);
  CHECK(*parsed == std::vector<LabelMatcher>{{"job", "=", "varnish"},
                                             {"host", "!=", "admin"},
                                             {"path", "=~", R"(a\.b"c)"},
                                             {"code", "!~", "5.."}});
}

TEST_CASE("no matcher at all is fine") {
  for (const char* text : {"", "  ", "{}", " { } "}) {
    SUBCASE(text) {
      const auto parsed = parse_label_matchers(text);
      REQUIRE(parsed);
      CHECK(parsed->empty());
    }
  }
}

TEST_CASE("what is no list of matchers is refused with an example of one") {
  for (const char* text :
       {"job", "job=", "job=varnish", "job=\"varnish", "job==\"a\"", "=\"a\"", "1a=\"b\"",
        "{a=\"b\"", "a=\"b\"}", "{", "}", "a=\"b\" c=\"d\"", ",", "a=\"b\",,c=\"d\"", "a=\"\\x\"",
        "a=\"b\\", "metric{a=\"b\"}", "a-b=\"c\""}) {
    SUBCASE(text) {
      const auto parsed = parse_label_matchers(text);
      REQUIRE_FALSE(parsed);
      CHECK(parsed.error().code == ErrorCode::Invalid);
      CHECK(parsed.error().message.find("job=\"varnish\"") != std::string::npos);
    }
  }
}

}  // namespace
}  // namespace scaledcache::k8s
