#include "base/duration.h"

#include <doctest/doctest.h>

namespace scaledcache {
namespace {

TEST_CASE("parse_duration reads what Kubernetes users type") {
  struct Row {
    const char* text;
    long milliseconds;
  };

  for (const Row& row :
       {Row{"30s", 30'000}, Row{"5m", 300'000}, Row{"1h30m", 5'400'000}, Row{"250ms", 250},
        Row{"1.5h", 5'400'000}, Row{"2.5s", 2'500}, Row{"0s", 0}, Row{"0", 0}}) {
    SUBCASE(row.text) {
      const auto parsed = parse_duration(row.text);
      REQUIRE(parsed);
      CHECK(parsed->count() == row.milliseconds);
    }
  }
}

TEST_CASE("parse_duration refuses everything else and names it") {
  for (const char* text : {"", "5", "5 days please", "s", "-5s", "1.s", ".5s", "5d", "1e3s", "5s ",
                           "99999999999999h", "0000000000000000s1"}) {
    SUBCASE(text) {
      const auto parsed = parse_duration(text);
      REQUIRE_FALSE(parsed);
      CHECK(parsed.error().code == ErrorCode::Invalid);
      CHECK(parsed.error().message.find("is not a duration") != std::string::npos);
    }
  }
}

TEST_CASE("format_duration is read back as the same duration") {
  for (const char* text : {"0s", "5m", "1h30m", "2.5s", "250ms", "30s", "24h", "1m0.05s"}) {
    SUBCASE(text) {
      const auto parsed = parse_duration(text);
      REQUIRE(parsed);
      const auto again = parse_duration(format_duration(*parsed));
      REQUIRE(again);
      CHECK(*again == *parsed);
    }
  }
  CHECK(format_duration(std::chrono::minutes{90}) == "1h30m");
  CHECK(format_duration(std::chrono::milliseconds{2500}) == "2.5s");
}

}  // namespace
}  // namespace scaledcache
