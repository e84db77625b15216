#include "k8s/syntax.h"

#include <doctest/doctest.h>

namespace scaledcache::k8s {
namespace {

TEST_CASE("names of objects are DNS names") {
  CHECK(is_dns_name("varnish-burst", 63, false));
  CHECK(is_dns_name("a.b-c.1", 253, true));
  for (const char* text : {"", "-a", "a-", ".a", "a.", "A", "a_b", "a/b", "a b", "ä"}) {
    SUBCASE(text) {
      CHECK_FALSE(is_dns_name(text, 253, true));
    }
  }
  CHECK_FALSE(is_dns_name("a.b", 253, false));
  CHECK_FALSE(is_dns_name(std::string(64, 'a'), 63, false));
}

TEST_CASE("kinds begin with a letter and hold letters and digits") {
  CHECK(is_kind("StatefulSet"));
  CHECK_FALSE(is_kind(""));
  CHECK_FALSE(is_kind("1Set"));
  CHECK_FALSE(is_kind("A/B"));
  CHECK_FALSE(is_kind(std::string(64, 'A')));
}

TEST_CASE("labels take no colon, metrics do") {
  CHECK(is_identifier("_exported_pod1", false));
  CHECK(is_identifier("job:rate5m", true));
  CHECK_FALSE(is_identifier("job:rate5m", false));
  CHECK_FALSE(is_identifier("1a", true));
  CHECK_FALSE(is_identifier("a-b", true));
  CHECK_FALSE(is_identifier("", true));
}

TEST_CASE("header names are tokens") {
  CHECK(is_token("X-Scope-OrgID"));
  CHECK(is_token("a!#$%&'*+.^_`|~9"));
  for (const char* text : {"", "a b", "a:b", "a\r", "a(b)", "ä"}) {
    SUBCASE(text) {
      CHECK_FALSE(is_token(text));
    }
  }
}

TEST_CASE("control characters are seen wherever they hide, but for those allowed") {
  CHECK(has_control_character(std::string_view("a\0b", 3)));
  CHECK(has_control_character("\x7f"));
  CHECK(has_control_character("a\n"));
  CHECK_FALSE(has_control_character("a\n", "\n"));
  CHECK_FALSE(has_control_character("grün"));
}

TEST_CASE("to_lower touches ASCII letters only") {
  CHECK(to_lower("X-Ä[Z]") == "x-Ä[z]");
}

}  // namespace
}  // namespace scaledcache::k8s
