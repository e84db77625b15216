#include "controller/backend_clock.h"

#include <doctest/doctest.h>

#include "base/rfc3339.h"

namespace scaledcache::controller {
namespace {

using namespace std::chrono_literals;

const WallTime kOurs = *parse_time("2026-01-01T12:00:00Z");
const SteadyTime kStart{};

TEST_CASE("a Date header is trusted near our clock, or near the newest sample") {
  struct Row {
    const char* name;
    std::optional<WallTime> date;
    std::optional<WallTime> newest;
    bool trusted;
  };

  for (const Row& row : {Row{"no header", {}, kOurs, false}, Row{"our time", kOurs, {}, true},
                         Row{"a minute off", kOurs + 60s, {}, true},
                         Row{"more than a minute off, no sample", kOurs + 61s, {}, false},
                         Row{"an hour off, as its samples are", kOurs + 1h, kOurs + 1h - 5s, true},
                         Row{"an hour off, and the samples are not", kOurs - 1h, kOurs, false}}) {
    CAPTURE(row.name);
    CHECK(is_date_trusted({kOurs, row.date, row.newest}) == row.trusted);
  }
}

TEST_CASE("a trusted header is the clock, and nobody is asked") {
  BackendClocks clocks;
  const auto now = clocks.now_at("http://p", {kOurs, kOurs + 3s, {}}, kStart, [] {
    FAIL_CHECK("asked");
    return std::optional<Milliseconds>();
  });
  CHECK(now == kOurs + 3s);
}

TEST_CASE("without a header the backend is asked once in five minutes, each backend by itself") {
  BackendClocks clocks;
  int asked = 0;
  const auto now_at = [&](const std::string& backend, std::chrono::seconds later) {
    return clocks.now_at(backend, {kOurs + later, {}, {}}, kStart + later, [&] {
      ++asked;
      return std::optional<Milliseconds>(90s);
    });
  };
  CHECK(now_at("http://p", 0s) == kOurs + 90s);
  CHECK(now_at("http://p", 299s) == kOurs + 299s + 90s);
  CHECK(asked == 1);
  CHECK(now_at("http://other", 299s) == kOurs + 299s + 90s);
  CHECK(asked == 2);
  CHECK(now_at("http://p", 300s) == kOurs + 300s + 90s);
  CHECK(asked == 3);
}

TEST_CASE("a backend that does not tell has no clock, and is left alone as long") {
  BackendClocks clocks;
  int asked = 0;
  const auto ask = [&]() -> std::optional<Milliseconds> {
    ++asked;
    return std::nullopt;
  };
  CHECK_FALSE(clocks.now_at("http://p", {kOurs, {}, {}}, kStart, ask));
  CHECK_FALSE(clocks.now_at("http://p", {kOurs, {}, {}}, kStart + 60s, ask));
  CHECK(asked == 1);
}

}  // namespace
}  // namespace scaledcache::controller
