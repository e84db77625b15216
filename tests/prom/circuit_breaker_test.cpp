#include "prom/circuit_breaker.h"

#include <doctest/doctest.h>

namespace scaledcache::prom {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using Outcome = CircuitBreaker::Outcome;

// A breaker with a clock, asked by somebody who polls rarely.
struct Bench {
  CircuitBreaker breaker;
  SteadyTime now{};

  [[nodiscard]] std::optional<Milliseconds> pause() const {
    return breaker.pause(now, minutes(10));
  }

  void try_once(Outcome outcome) {
    const bool is_probe = breaker.begin();
    breaker.end(is_probe, outcome, now);
  }

  void open() {
    for (int i = 0; i < CircuitBreaker::kFailuresToOpen; ++i) {
      try_once(Outcome::Unreachable);
    }
  }
};

TEST_CASE("five failures in a row open it, an answer in between starts the count anew") {
  Bench bench;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 4; ++i) {
      bench.try_once(Outcome::Unreachable);
    }
    CHECK_FALSE(bench.pause().has_value());
    bench.try_once(Outcome::Answered);
  }
  bench.open();
  CHECK(bench.pause() == seconds(1));
  CHECK(bench.breaker.is_open());
}

TEST_CASE("cancelled tries count neither way") {
  Bench bench;
  for (int i = 0; i < 4; ++i) {
    bench.try_once(Outcome::Unreachable);
    bench.try_once(Outcome::Unknown);
  }
  CHECK_FALSE(bench.breaker.is_open());
  bench.try_once(Outcome::Unreachable);
  CHECK(bench.breaker.is_open());
}

TEST_CASE("after the pause one try goes through, and its answer closes it") {
  Bench bench;
  bench.open();
  bench.now += Milliseconds(999);
  CHECK(bench.pause() == Milliseconds(1));
  bench.now += Milliseconds(1);
  CHECK_FALSE(bench.pause().has_value());
  const bool is_probe = bench.breaker.begin();
  CHECK(is_probe);
  CHECK(bench.pause().has_value());
  bench.breaker.end(is_probe, Outcome::Answered, bench.now);
  CHECK_FALSE(bench.pause().has_value());
  CHECK(bench.breaker.is_fresh());
}

TEST_CASE("each failed probe doubles the pause, up to thirty seconds") {
  Bench bench;
  bench.open();
  for (const int want : {1, 2, 4, 8, 16, 30, 30}) {
    CHECK(bench.pause() == seconds(want));
    bench.now += seconds(want);
    bench.try_once(Outcome::Unreachable);
  }
  bench.now += seconds(30);
  bench.try_once(Outcome::Answered);
  bench.open();
  CHECK(bench.pause() == seconds(1));
}

TEST_CASE("the pause is never longer than the poll of whoever asks") {
  Bench bench;
  bench.open();
  for (int i = 0; i < 6; ++i) {
    bench.now += seconds(30);
    bench.try_once(Outcome::Unreachable);
  }
  CHECK(bench.breaker.pause(bench.now, seconds(5)) == seconds(5));
  CHECK(bench.breaker.pause(bench.now, Milliseconds(1)) == seconds(1));
  bench.now += seconds(5);
  CHECK_FALSE(bench.breaker.pause(bench.now, seconds(5)).has_value());
  CHECK(bench.breaker.pause(bench.now, minutes(10)) == seconds(25));
}

TEST_CASE("a cancelled probe lets the next one try at once") {
  Bench bench;
  bench.open();
  bench.now += seconds(1);
  bench.try_once(Outcome::Unknown);
  CHECK_FALSE(bench.pause().has_value());
}

TEST_CASE("tries from before it opened neither lengthen the pause nor count as the probe") {
  Bench bench;
  const bool early = bench.breaker.begin();
  bench.open();
  bench.now += Milliseconds(500);
  bench.breaker.end(early, Outcome::Unreachable, bench.now);
  CHECK(bench.pause() == Milliseconds(500));
}

}  // namespace
}  // namespace scaledcache::prom
