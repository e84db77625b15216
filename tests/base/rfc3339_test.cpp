#include "base/rfc3339.h"

#include <doctest/doctest.h>

namespace scaledcache {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kTime =
    WallTime{std::chrono::sys_days{std::chrono::year{2026} / 1 / 2}} + 3h + 4min + 5s + 678ms;

TEST_CASE("times are written as Kubernetes writes them") {
  CHECK(format_time(kTime) == "2026-01-02T03:04:05Z");
  CHECK(format_micro_time(kTime) == "2026-01-02T03:04:05.678000Z");
}

TEST_CASE("times are read with fraction and offset") {
  CHECK(parse_time("2026-01-02T03:04:05.678Z") == kTime);
  CHECK(parse_time("2026-01-02T03:04:05.678999Z") == kTime);
  CHECK(parse_time("2026-01-02T05:04:05.678+02:00") == kTime);
  CHECK(parse_time("2026-01-02T03:04:05Z") == kTime - 678ms);
}

TEST_CASE("what is no time is nothing") {
  for (const char* text : {"", "yesterday", "2026-13-02T03:04:05Z", "2026-02-30T03:04:05Z",
                           "2026-01-02T24:04:05Z", "2026-01-02 03:04:05Z", "2026-01-02T03:04:05"}) {
    SUBCASE(text) {
      CHECK_FALSE(parse_time(text));
    }
  }
}

TEST_CASE("HTTP dates are read") {
  CHECK(parse_http_date("Fri, 02 Jan 2026 03:04:05 GMT") == kTime - 678ms);
  CHECK_FALSE(parse_http_date("Friday, 02-Jan-26 03:04:05 GMT"));
  CHECK_FALSE(parse_http_date("Fri, 02 Foo 2026 03:04:05 GMT"));
}

}  // namespace
}  // namespace scaledcache
