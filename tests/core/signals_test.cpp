#include <cmath>

#include <doctest/doctest.h>

#include "core/builders.h"
#include "core/decide.h"
#include "core/rates.h"

namespace scaledcache::core::test {
namespace {

SignalReading with_deltas(double short_rate, std::array<double, 4> delta) {
  SignalReading reading = fresh(short_rate);
  reading.delta = delta;
  return reading;
}

const SignalVerdict& first(const Decision& decision) {
  return decision.signals.front();
}

TEST_CASE("a real jump acts on the newest interval, noise does not") {
  Play play(policy(2, 100), 10);
  play.settle(1950);
  const Decision jump = play.tick(with_deltas(2300, {3900, 1950, 1950, 1950}));
  CHECK(first(jump).level == 3900);
  CHECK(jump.replicas == 20);
  Play calm(policy(2, 100), 10);
  calm.settle(1950);
  const Decision noise = calm.tick(with_deltas(1950, {2020, 1950, 1950, 1950}));
  CHECK(first(noise).level == 1950);
  CHECK(noise.reason == Reason::Steady);
}

TEST_CASE("a jump is measured against the lower of the two intervals before") {
  Play play(policy(2, 100), 10);
  play.settle(1950);
  CHECK(first(play.tick(with_deltas(2000, {3900, 3900, 1950, 1950}))).level == 3900);
  CHECK(first(play.tick(with_deltas(2000, {3900, 3900, 3900, 1950}))).level == 2000);
}

TEST_CASE("the gate is four deviations of arrivals, and three of what the signal has shown") {
  Play play(policy(2, 100), 10);
  CHECK(first(play.tick(fresh(2000))).gate == doctest::Approx(4 * std::sqrt(2 * 2000 / 10.0)));
  for (int i = 0; i < 2000; ++i) {
    play.tick(with_deltas(
        2000, {i % 2 == 0 ? 2100.0 : 1900.0, i % 2 == 0 ? 1900.0 : 2100.0, 2000, 2000}));
  }
  CHECK(play.history().signals[0].noise == doctest::Approx(40'000).epsilon(0.02));
  CHECK(first(play.tick(fresh(2000))).gate == doctest::Approx(600).epsilon(0.02));
}

TEST_CASE("one outlier moves the noise no more than nine variances") {
  Play play(policy(2, 100), 10);
  play.settle(2000);
  play.tick(with_deltas(2000, {90'000, 2000, 2000, 2000}));
  const double arrivals = 2 * 90'000 / 10.0;
  CHECK(play.history().signals[0].noise <= 9 * arrivals * 5 / 1800 + 1e-9);
}

struct Ramp {
  std::array<double, 4> delta{2200, 2000, 1800, 1600};
  Milliseconds fresh_for = 60s;
  bool gapless = true;
  int complete = 4;
  int percent = 25;
};

double boost_of(const Ramp& ramp) {
  Play play(policy(2, 100), 10);
  play.policy().scale_up.look_ahead_percent = ramp.percent;
  play.settle(1600);
  play.tick(with_health(1600, Health::Partial, Fault::MissingPods));
  play.pass(ramp.fresh_for, fresh(1600));
  SignalReading reading = with_deltas(2100, ramp.delta);
  reading.gapless = ramp.gapless;
  reading.complete_intervals = ramp.complete;
  return first(play.tick(reading)).boost;
}

TEST_CASE(
    "a ramp is extrapolated for one lead, half a poll and half an interval, at most a quarter") {
  CHECK(boost_of({}) == doctest::Approx(0.25 * 2200));
  Ramp slow;
  slow.delta = {2060, 2010, 1960, 1910};
  CHECK(boost_of(slow) == doctest::Approx(50 / 10.0 * (30 + 2.5 + 5)));
}

TEST_CASE("no look-ahead without a proven ramp") {
  struct Row {
    const char* name;
    Ramp ramp;
  };

  const Ramp step{{3900, 1950, 1950, 1950}};
  const Ramp uneven{{2600, 2000, 1900, 1800}};
  Ramp fresh_too_short;
  fresh_too_short.fresh_for = 30s;
  Ramp hole;
  hole.gapless = false;
  Ramp unseen;
  unseen.complete = 3;
  Ramp off;
  off.percent = 0;
  for (const Row& row :
       {Row{"a step", step}, Row{"rises of unlike size", uneven},
        Row{"fresh for too short a time", fresh_too_short}, Row{"a hole in the samples", hole},
        Row{"an interval that is not whole", unseen}, Row{"switched off", off}}) {
    SUBCASE(row.name) {
      CHECK(boost_of(row.ramp) == 0);
    }
  }
  Play play(policy(2, 100), 40);
  play.policy().cooldown = 24h;
  play.settle(1600);
  CHECK(first(play.tick(with_deltas(2100, {2200, 2000, 1800, 1600}))).boost == 0);
}

TEST_CASE("the lead is learned from pods, and capped") {
  Play play(policy(2, 40), 10);
  Observation observation = observe(10, fresh(1950));
  observation.warmed = {90s};
  play.tick(observation);
  CHECK(play.history().lead == 48s);
  observation.warmed.assign(100, 1h);
  play.tick(observation);
  CHECK(play.history().lead == 180s);
}

TEST_CASE("refused work counts as half as much again while the fleet is near its limit") {
  struct Row {
    const char* name;
    SaturationKind kind;
    double refused;
    int replicas;
    double factor;
  };

  for (const Row& row :
       {Row{"more than one in a thousand", SaturationKind::Rate, 3, 10, 1.5},
        Row{"one in a thousand", SaturationKind::Rate, 1.9, 10, 1},
        Row{"a fleet that is large enough already", SaturationKind::Rate, 30, 16, 1}}) {
    SUBCASE(row.name) {
      Play play(policy(2, 100), row.replicas);
      play.policy().signals[0].saturation = row.kind;
      SignalReading reading = fresh(2000);
      reading.saturation = row.refused;
      const Decision decision = play.tick(reading);
      CHECK(first(decision).need == doctest::Approx(2000 * row.factor));
      CHECK(first(decision).level == 2000);
    }
  }
}

TEST_CASE("a gauge has to stay above nothing for three ticks in a row") {
  Play play(policy(2, 100), 10);
  play.policy().signals[0].saturation = SaturationKind::Gauge;
  SignalReading queue = fresh(1950);
  queue.saturation = 1;
  CHECK_FALSE(first(play.tick(queue)).saturated);
  CHECK_FALSE(first(play.tick(queue)).saturated);
  CHECK_FALSE(first(play.tick(fresh(1950))).saturated);
  play.tick(queue);
  play.tick(queue);
  CHECK(first(play.tick(queue)).saturated);
}

TEST_CASE("what saturation asked for is kept for one long window") {
  Play play(policy(2, 100), 10);
  play.settle(1950);
  play.policy().signals[0].saturation = SaturationKind::Rate;
  SignalReading refused = fresh(1950);
  refused.saturation = 20;
  play.tick(refused);
  CHECK(play.replicas() == 15);
  SignalReading relieved = fresh(1950);
  relieved.saturation = 0;
  const Decision decision = play.pass(290s, relieved);
  CHECK(decision.shrink_to == 16);
  CHECK(play.pass(30min, relieved).replicas < 15);
}

TEST_CASE("an unknown saturation is named and is none") {
  Play play(policy(2, 100), 10);
  play.policy().signals[0].saturation = SaturationKind::Rate;
  const Decision decision = play.tick(fresh(1950));
  CHECK(first(decision).saturation_unknown);
  CHECK_FALSE(first(decision).saturated);
}

void burst(Play& play, double base, double top) {
  play.pass(2min, fresh(top));
  play.pass(18min, fresh(base));
}

TEST_CASE(
    "one surprise costs nothing, a pattern of them buys headroom, and none is not asked for") {
  Play play(policy(2, 100), 10);
  play.settle(1950);
  burst(play, 1950, 3900);
  CHECK(first(play.tick(fresh(1950))).headroom == 0);
  for (int i = 0; i < 4; ++i) {
    burst(play, 1950, 3900);
  }
  const double learned = first(play.tick(fresh(1950))).headroom;
  CHECK(learned > 0.05);
  CHECK(learned <= 0.5);
  play.policy().scale_up.headroom = Headroom::None;
  CHECK(first(play.tick(fresh(1950))).headroom == 0);
}

TEST_CASE("a plan needs data within the long window, however short that is") {
  Play play(policy(2, 100), 10);
  play.policy().poll_interval = 1s;
  play.policy().short_window = 5s;
  play.policy().long_window = 5s;
  for (Milliseconds gap = 30s; gap <= 50s; gap += 1s) {  // a lead is 30 s
    (void)play.tick(fresh(1950));
    play.pass(gap, unusable(Fault::Timeout));
    const Decision decision = play.tick(fresh(1950));
    CHECK(first(decision).health == Health::Fresh);
    CHECK(first(decision).headroom == 0);
  }
}

TEST_CASE("surprises are forgotten") {
  Play play(policy(2, 100), 10);
  play.settle(1950);
  for (int i = 0; i < 5; ++i) {
    burst(play, 1950, 3900);
  }
  play.pass(12h, fresh(1950));
  CHECK(first(play.tick(fresh(1950))).headroom == 0);
}

TEST_CASE("a surprise needs a plan: a gap in the data is none") {
  Play play(policy(2, 100), 10);
  play.settle(1000);
  play.pass(10min, unusable(Fault::Timeout));
  play.pass(40s, fresh(3900));
  CHECK(play.history().signals[0].risk == 0);
}

TEST_CASE("a rate that all but vanishes is suspect until it is back or has lasted") {
  Play play(policy(2, 40), 10);
  play.settle(1950);
  const SignalReading gone = with_deltas(900, {10, 1950, 1950, 1950});
  CHECK(play.tick(gone).reason == Reason::DataSuspect);
  SUBCASE("back") {
    CHECK(play.tick(fresh(1950)).reason == Reason::Steady);
  }
  SUBCASE("lasted") {
    CHECK(play.pass(295s, fresh(10)).reason == Reason::DataSuspect);
    CHECK(play.tick(fresh(10)).reason != Reason::DataSuspect);
  }
  SUBCASE("time without data does not count") {
    play.pass(2min, fresh(10));
    play.pass(3min, unusable(Fault::EmptyAnswer));
    CHECK(play.pass(160s, fresh(10)).reason == Reason::DataSuspect);
  }
}

TEST_CASE("a standstill that the caches' uptime shares is never believed") {
  Play play(policy(2, 100), 10);
  play.settle(1950);
  SignalReading still = with_deltas(500, {0, 1950, 1950, 1950});
  still.standing_still = true;
  still.pulse = Pulse::Still;
  CHECK(play.tick(still).reason == Reason::DataSuspect);
  still.delta = {};
  still.short_rate = 0;
  CHECK(play.pass(1h, still).reason == Reason::DataSuspect);
  CHECK(play.replicas() == 10);
  still.pulse = Pulse::Moving;
  CHECK(play.pass(290s, still).reason == Reason::DataSuspect);
  play.pass(60s, still);
  CHECK(play.replicas() < 10);
}

TEST_CASE("a query is suspect against its value before") {
  Play play(policy(2, 40), 10);
  play.policy().signals[0].kind = SignalKind::Query;
  play.settle(1950);
  CHECK(play.tick(fresh(0)).reason == Reason::DataSuspect);
  CHECK(play.tick(fresh(1950)).reason == Reason::Steady);
}

TEST_CASE("on partial data one tick grows by a quarter") {
  Play play(policy(2, 100), 20);
  play.settle(3900);
  const SignalReading partial = with_health(12'000, Health::Partial, Fault::MissingPods);
  const Decision decision = play.tick(partial);
  CHECK(decision.replicas == 25);
  CHECK(decision.reason == Reason::ScaleUpLimited);
  Play small(policy(1, 100), 1);
  small.settle(190);
  CHECK(small.tick(partial).replicas == 2);
}

TEST_CASE("what baseline pods carry is taken off: those there now to grow, the fewest to shrink") {
  Play play(policy(2, 40), 10);
  play.policy().baseline = BaselinePolicy{300};
  SignalReading reading = fresh(2850);
  reading.baseline_covered = 3;
  CHECK(first(play.tick(reading)).need == doctest::Approx(1950));
  reading.baseline_covered = 0;
  play.tick(reading);
  reading.baseline_covered = 3;
  const Decision decision = play.tick(reading);
  CHECK(first(decision).need == doctest::Approx(1950));
  CHECK(first(decision).shrink_to == 15);
}

TEST_CASE("samples that stop advancing are stale where the backend shows no clock") {
  Play play(policy(2, 40), 10);
  SignalReading reading = fresh(1950);
  reading.sample_age.reset();
  reading.newest_sample = kStart;
  play.tick(reading);
  play.pass(25s, reading);
  CHECK(play.tick(reading).reason == Reason::Steady);
  CHECK(play.tick(reading).reason == Reason::NoData);
}

TEST_CASE("the largest wish wins, and a planned utilisation is kept") {
  Play play(policy(2, 40), 9);
  play.policy().signals.push_back(play.policy().signals[0]);
  play.policy().signals[1].name = "bytes";
  play.policy().signals[1].requests_per_replica = 62.5;
  play.policy().signals[1].target_utilization_percent = 80;
  Observation observation = observe(9, fresh(1700));
  observation.signals.push_back(fresh(590));
  CHECK(play.tick(observation).replicas == 12);
}

TEST_CASE("rounding: a millionth of a replica is none, in both directions") {
  Play play(policy(2, 40), 10);
  CHECK(play.tick(fresh(2000.0001)).replicas == 10);
  CHECK(play.tick(fresh(2000.001)).replicas == 11);
}

TEST_CASE("no number does harm") {
  for (const double rate : {0.0, 1e-300, 1e300, 1e308}) {
    Play play(policy(2, 40), 10);
    const Decision decision = play.tick(fresh(rate));
    CHECK(decision.replicas >= 2);
    CHECK(decision.replicas <= 40);
  }
}

}  // namespace
}  // namespace scaledcache::core::test
