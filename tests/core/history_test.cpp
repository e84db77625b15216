#include "core/history.h"

#include <doctest/doctest.h>

#include "core/builders.h"

namespace scaledcache::core::test {
namespace {

// A fleet that has grown, seen surprises and waits for its cooldown.
Play busy() {
  Play play(policy(2, 40), 10);
  play.settle(1950);
  play.pass(2min, fresh(3900));
  play.pass(1min, fresh(1000));
  return play;
}

TEST_CASE("a restart changes nothing that is decided") {
  Play play = busy();
  Play again = play;
  again.set_history(restore(keep(play.history()), play.now()));
  // What the backend is asked for on start.
  SignalReading filled = fresh(1000);
  for (WallTime time = play.now() - 5min; time < play.now(); time += 5s) {
    filled.history.push_back({time, 1000});
  }
  const Decision expected = play.tick(fresh(1000));
  const Decision seen = again.tick(filled);
  CHECK(seen.replicas == expected.replicas);
  CHECK(name_of(seen.reason) == name_of(expected.reason));
  CHECK(seen.shrink_to == expected.shrink_to);
  CHECK(seen.signals[0].headroom == doctest::Approx(expected.signals[0].headroom));
  CHECK(seen.history.last_up == expected.history.last_up);
}

TEST_CASE("status keeps what the contract lists") {
  Play play = busy();
  const KeptStatus kept = keep(play.history());
  CHECK(kept.desired_replicas == play.replicas());
  CHECK(kept.last_up == play.history().last_up);
  CHECK(kept.last_change->to == play.replicas());
  CHECK(kept.lead == 30s);
  REQUIRE(kept.signals.size() == 1);
  CHECK(*kept.signals[0].peak == 3900);
  CHECK(*kept.peak_time == play.now() - 65s);
  CHECK(kept.signals[0].risk == play.history().signals[0].risk);
  CHECK(kept.signals[0].last_usable == play.now() - 5s);
}

TEST_CASE("a stored time in the future counts as now") {
  KeptStatus status;
  status.last_up = kStart + 1h;
  status.foreign_writes = {kStart + 2h};
  status.peak_time = kStart + 1h;
  status.signals.push_back({"requests", 900.0, 0, 0, {}, kStart + 3h});
  const History history = restore(status, kStart);
  CHECK(history.last_up == kStart);
  CHECK(history.undone.front() == kStart);
  CHECK(history.last_usable == kStart);
  CHECK(history.signals[0].peak.buckets().front().newest == kStart);
}

TEST_CASE("a clock that is set back does not make a cooldown last longer") {
  Play play(policy(2, 40), 10);
  play.settle(1950);
  play.pass(2min, fresh(3900));
  const WallTime earlier = play.now() - 24h;
  const Decision decision =
      decide(play.policy(), observe(20, fresh(3900)), play.history(), earlier);
  CHECK(decision.history.last_up == earlier);
}

TEST_CASE("a resource without a status does not shrink in its first cooldown") {
  Play play(policy(2, 40), 10);
  SignalReading filled = fresh(100);
  for (WallTime time = kStart - 5min; time < kStart; time += 5s) {
    filled.history.push_back({time, 100});
  }
  CHECK(play.tick(filled).reason == Reason::CoolingDown);
  CHECK(play.pass(295s, fresh(100)).replicas == 10);
  CHECK(play.tick(fresh(100)).replicas == 8);
}

TEST_CASE("the past fills the peak, and the fresh share only where nobody was watching") {
  Play play(policy(2, 40), 10);
  play.pass(3min, SignalReading{});
  SignalReading filled = fresh(100);
  for (WallTime time = play.now() - 5min; time < play.now(); time += 5s) {
    filled.history.push_back({time, 1950});
  }
  const Decision decision = play.tick(filled);
  CHECK(decision.signals[0].peak == 1950);
  CHECK(decision.reason == Reason::LongWindow);
  CHECK(play.history().signals[0].fresh.share(play.now() - 5min, play.now()) < 0.5);
}

}  // namespace
}  // namespace scaledcache::core::test
