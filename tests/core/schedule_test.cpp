#include "core/schedule.h"

#include <doctest/doctest.h>

#include "base/rfc3339.h"

namespace scaledcache::core {
namespace {

// Firings are written as a person reads them.
std::string newest(const char* cron, const Zone& zone, const char* now) {
  const auto parsed = parse_cron(cron);
  REQUIRE(parsed);
  const auto time = newest_firing(*parsed, zone, *parse_time(now));
  return time ? format_time(*time) : "never";
}

Zone berlin() {
  const auto zone = load_zone("Europe/Berlin");
  REQUIRE(zone);
  return *zone;
}

TEST_CASE("the newest firing of a cron expression") {
  struct Row {
    const char* cron;
    const char* now;
    const char* want;
  };

  for (const Row& row :
       {Row{"30 8 * * *", "2026-01-05T08:29:59Z", "2026-01-04T08:30:00Z"},
        Row{"30 8 * * *", "2026-01-05T08:30:00Z", "2026-01-05T08:30:00Z"},
        Row{"*/15 * * * *", "2026-01-05T08:44:00Z", "2026-01-05T08:30:00Z"},
        Row{"0 9-17/4 * * mon-fri", "2026-01-05T08:00:00Z", "2026-01-02T17:00:00Z"},
        Row{"0 0 1 jan *", "2026-12-31T00:00:00Z", "2026-01-01T00:00:00Z"},
        Row{"0 0 * * 7", "2026-01-07T00:00:00Z", "2026-01-04T00:00:00Z"},
        Row{"0 0 13 * fri", "2026-01-11T00:00:00Z", "2026-01-09T00:00:00Z"},
        Row{"0 0 29 2 *", "2026-01-01T00:00:00Z", "2024-02-29T00:00:00Z"},
        Row{"0 0 31 2 *", "2026-01-01T00:00:00Z", "never"}}) {
    CAPTURE(row.cron);
    CHECK(newest(row.cron, {}, row.now) == row.want);
  }
}

TEST_CASE("a local time that the clocks skip fires when the gap ends") {
  CHECK(newest("30 2 * * *", berlin(), "2026-03-29T00:59:59Z") == "2026-03-28T01:30:00Z");
  CHECK(newest("30 2 * * *", berlin(), "2026-03-29T01:00:00Z") == "2026-03-29T01:00:00Z");
}

TEST_CASE("a local time that comes twice fires the first time") {
  CHECK(newest("30 2 * * *", berlin(), "2026-10-25T00:29:59Z") == "2026-10-24T00:30:00Z");
  CHECK(newest("30 2 * * *", berlin(), "2026-10-25T01:30:00Z") == "2026-10-25T00:30:00Z");
}

TEST_CASE("what is no cron expression is refused by field") {
  for (const char* text :
       {"", "* * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8",
        "5-1 * * * *", "*/0 * * * *", "a * * * *", "1,,2 * * * *", "* * * * * *"}) {
    SUBCASE(text) {
      CHECK_FALSE(parse_cron(text));
    }
  }
  CHECK(parse_cron("60 * * * *").error().message.find("minute") != std::string::npos);
}

TEST_CASE("a schedule is in force while its newest start is later than its newest end") {
  Schedule schedule;
  schedule.start = *parse_cron("0 22 * * *");
  schedule.end = *parse_cron("0 6 * * *");
  CHECK(in_force(schedule, *parse_time("2026-01-05T23:00:00Z")));
  CHECK(in_force(schedule, *parse_time("2026-01-05T05:59:59Z")));
  CHECK_FALSE(in_force(schedule, *parse_time("2026-01-05T06:00:00Z")));
}

TEST_CASE("a zone that the machine does not know is refused by name") {
  const auto zone = load_zone("Mars/Olympus");
  REQUIRE_FALSE(zone);
  CHECK(zone.error().message.find("Mars/Olympus") != std::string::npos);
}

}  // namespace
}  // namespace scaledcache::core
