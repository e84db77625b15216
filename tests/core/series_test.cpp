#include "core/series.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/counter_world.h"

namespace scaledcache::core::test {
namespace {

using World = CounterWorld;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST_CASE("a series that ends with a marker is not current") {
  World world(4);
  world.series[0].samples.back().value = kNan;
  const SignalReading reading = world.read();
  CHECK(reading.coverage == 0.75);
  CHECK(reading.health == Health::Partial);
  CHECK(reading.short_rate == doctest::Approx(800));
}

TEST_CASE("an infinite or negative sample drops its series, and the pod is not covered") {
  for (const double bad : {HUGE_VAL, -HUGE_VAL, -1.0}) {
    World world(4);
    world.series[1].samples[3].value = bad;
    const SignalReading reading = world.read();
    CHECK(reading.bad_series == 1);
    CHECK(reading.coverage == 0.75);
    World all(1);
    all.series[0].samples[3].value = bad;
    CHECK(all.read().health == Health::Invalid);
    CHECK(all.read().fault == Fault::BadSample);
  }
}

TEST_CASE("two series of one identity are the same traffic if their values agree") {
  World world;
  SUBCASE("another job") {
    Series twin = world.series[0];
    twin.labels[2].value = "cache-2";
    world.series.push_back(twin);
    CHECK(world.read().duplicate_series == 1);
    CHECK(world.read().short_rate == doctest::Approx(400));
  }
  SUBCASE("another Prometheus, scraping two seconds later") {
    Series twin = world.series[0];
    twin.labels.push_back({"prometheus_replica", "b"});
    for (Sample& sample : twin.samples) {
      sample.time_ms -= 2000;
      sample.value -= 400;
    }
    world.series.push_back(twin);
    CHECK(world.read().duplicate_series == 1);
    CHECK(world.read().short_rate == doctest::Approx(400));
  }
  SUBCASE("values that disagree are two counters") {
    Series other = world.series[0];
    other.labels[2].value = "cache-2";
    for (Sample& sample : other.samples) {
      sample.value *= 3;
    }
    world.series.push_back(other);
    CHECK(world.read().duplicate_series == 0);
    CHECK(world.read().short_rate == doctest::Approx(1000));
  }
  SUBCASE("any other label makes another counter") {
    Series other = world.series[0];
    other.labels.push_back({"code", "200"});
    world.series.push_back(other);
    CHECK(world.read().short_rate == doctest::Approx(600));
  }
}

TEST_CASE("series of pods of something else are counted and left out") {
  World world;
  world.pods[1].belongs = false;
  const SignalReading reading = world.read();
  CHECK(reading.foreign_series == 1);
  CHECK(reading.short_rate == doctest::Approx(200));
}

TEST_CASE("series without a pod of the target name what is wrong") {
  World world;
  SUBCASE("the label has another name") {
    for (Series& one : world.series) {
      one.labels[1].name = "exported_pod";
    }
    const SignalReading reading = world.read();
    CHECK(reading.health == Health::Invalid);
    CHECK(reading.fault == Fault::NoPodLabel);
    CHECK(reading.likely_pod_label == "exported_pod");
    CHECK(reading.labels_seen == std::vector<std::string>{"__name__", "exported_pod", "job"});
  }
  SUBCASE("an address and port") {
    world.pods[0].address = "10.0.0.7";
    for (Series& one : world.series) {
      one.labels = {{"instance", "10.0.0.7:9131"}};
    }
    CHECK(world.read().likely_pod_label == "instance");
  }
  SUBCASE("pods of something else") {
    for (PodFacts& pod : world.pods) {
      pod.belongs = false;
    }
    CHECK(world.read().fault == Fault::ScopeMismatch);
  }
  SUBCASE("no mapping asked for") {
    world.pods.clear();
    world.question.signal.pod_label = "";
    CHECK(world.read().health == Health::Fresh);
    CHECK(world.read().short_rate == doctest::Approx(400));
  }
}

}  // namespace
}  // namespace scaledcache::core::test
