#include "core/counting.h"

#include <algorithm>
#include <limits>

#include <doctest/doctest.h>

#include "core/counter_world.h"

namespace scaledcache::core::test {
namespace {

using World = CounterWorld;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST_CASE("a counter that falls has started again") {
  World world;
  for (Sample& sample : world.series[0].samples) {
    sample.value =
        sample.time_ms >= World::stamp(80) ? sample.value - 1000 - 200 * 76 : sample.value;
  }
  // One scrape of 1000 shows 800 after the reset; nothing jumps.
  CHECK(world.read().short_rate == doctest::Approx((400 * 30 - 200) / 30.0));
}

TEST_CASE("a staleness marker is a gap: the next sample goes on with the counter") {
  World world;
  world.series[0].samples[10].value = kNan;
  const SignalReading reading = world.read();
  CHECK(reading.short_rate == doctest::Approx(400));
  CHECK(reading.coverage == 1);
  CHECK_FALSE(reading.gapless);
}

// Pods 0 and 1 share 400 per second until pod 2 starts at second 90; then each serves a third.
World takeover(double probes = 0) {
  World world(2);
  const auto share = [](double second) {
    return second <= 90 ? 1000 + 200 * second : 19'000 + (second - 90) * 400 / 3;
  };
  for (Series& one : world.series) {
    for (Sample& sample : one.samples) {
      const double second = static_cast<double>(sample.time_ms - World::stamp(0)) / 1000;
      sample.value = share(second);
    }
  }
  world.add_pod("new", [&](double second) { return probes + (second - 90) * 400 / 3; });
  world.pods[2].container_started = kStart + 88s;
  world.pods[2].ready_since = kStart + 90s;
  auto& samples = world.series[2].samples;
  samples.erase(samples.begin(), samples.begin() + 13);
  return world;
}

TEST_CASE("what a new pod takes over is visible at its first sample") {
  CHECK(takeover().read().delta[0] == doctest::Approx(400));
  CHECK(takeover().read().short_rate == doctest::Approx(400));
}

TEST_CASE("what a pod counted before it was ready is no demand") {
  CHECK(takeover(50'000).read().delta[0] == doctest::Approx(400));
}

TEST_CASE(
    "a first sample counts nothing without a start to count from, or another pod to compare") {
  World unknown = takeover();
  unknown.pods[2].container_started.reset();
  CHECK(unknown.read().delta[0] < 390);
  World alone(0);
  alone.add_pod("only", [](double second) { return 500 * (second - 90); });
  alone.pods[0].container_started = kStart + 90s;
  alone.pods[0].ready_since = kStart + 90s;
  alone.series[0].samples.erase(alone.series[0].samples.begin(),
                                alone.series[0].samples.begin() + 14);
  CHECK(alone.read().fault == Fault::TooFewSamples);
}

TEST_CASE("inside a scrape gap each second weighs by the pods that shared it") {
  World world(2);
  // Scraped every 15 s; at second 88 two pods become eight.
  const auto share = [](double second) {
    return second <= 88 ? 200 * second : 200 * 88 + 50 * (second - 88);
  };
  for (Series& one : world.series) {
    one.samples.clear();
    for (const double second : {40, 55, 70, 85, 100}) {
      one.samples.push_back({World::stamp(second), share(second)});
    }
  }
  for (int i = 0; i < 6; ++i) {
    world.add_pod("new-" + std::to_string(i), [](double second) { return 50 * (second - 88); });
    world.pods.back().container_started = kStart + 88s;
    world.pods.back().ready_since = kStart + 88s;
    world.series.back().samples = {{World::stamp(100), 600}};
  }
  CHECK(world.read().short_rate == doctest::Approx(400));
  CHECK(world.read().delta[0] == doctest::Approx(400));
}

TEST_CASE("what a pod counted in the gap in which it went, it counted before it went") {
  World world(2);
  world.pods[1].ready = false;
  world.pods[1].terminating = true;
  world.pods[1].ready_until = kStart + 91s;
  for (Sample& sample : world.series[1].samples) {
    sample.value = std::min(sample.value, 1000 + 200 * 91.0);
  }
  const SignalReading reading = world.read();
  CHECK(reading.delta[0] == doctest::Approx(200 + 20));
}

TEST_CASE("what ends a standstill was served during it") {
  World world(2);
  for (Series& one : world.series) {
    for (Sample& sample : one.samples) {
      const bool still = sample.time_ms > World::stamp(60) && sample.time_ms < World::stamp(95);
      sample.value = still ? 1000 + 200 * 60 : sample.value;
    }
  }
  CHECK(world.read().delta[0] == doctest::Approx(400));
  CHECK(world.read().delta[2] == doctest::Approx(400));
}

TEST_CASE("a standstill that began before the answer hides nobody knows what") {
  World world(2);
  for (Series& one : world.series) {
    for (Sample& sample : one.samples) {
      sample.value = sample.time_ms < World::stamp(95) ? 1000 : 90'000 + (sample.value - 20'000);
    }
  }
  CHECK(world.read().short_rate < 100);
  world.question.has_served = false;
  CHECK(world.read().short_rate > 1000);
}

TEST_CASE("a fleet that stands still though it has served is reported") {
  World world(2);
  for (Series& one : world.series) {
    for (Sample& sample : one.samples) {
      sample.value = std::min(sample.value, 1000 + 200 * 85.0);
    }
  }
  CHECK(world.read().standing_still);
  CHECK_FALSE(World().read().standing_still);
}

}  // namespace
}  // namespace scaledcache::core::test
