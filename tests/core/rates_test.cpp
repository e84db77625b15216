#include "core/rates.h"

#include <cmath>
#include <functional>
#include <limits>

#include <doctest/doctest.h>

#include "core/builders.h"

namespace scaledcache::core::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// An answer made by hand: pods that serve evenly, scraped every five seconds up to now, which is
// second 100 of a window of 70 seconds.
struct World {
  std::vector<Series> series;
  std::vector<PodFacts> pods;
  Question question;

  explicit World(int count = 2, double rate = 200) {
    question.signal = policy().signals[0];
    question.now = kStart + 100s;
    question.backend_now = question.now;
    question.has_served = true;
    for (int i = 0; i < count; ++i) {
      add_pod("pod-" + std::to_string(i), [rate](double second) { return 1000 + rate * second; });
    }
  }

  static std::int64_t stamp(double second) {
    return (kStart + std::chrono::milliseconds{std::llround(second * 1000)})
        .time_since_epoch()
        .count();
  }

  // A pod that is old and ready, and whose counter shows `value` at each second.
  void add_pod(const std::string& name, const std::function<double(double)>& value) {
    PodFacts pod;
    pod.name = name;
    pod.ready = true;
    pod.ready_since = kStart - 1h;
    pod.container_started = kStart - 1h;
    pods.push_back(pod);
    Series one;
    one.labels = {{"__name__", "requests_total"}, {"pod", name}, {"job", "cache"}};
    for (int second = 30; second <= 100; second += 5) {
      one.samples.push_back({stamp(second), value(second)});
    }
    series.push_back(one);
  }

  [[nodiscard]] SignalReading read() const { return read_counter(question, series, pods); }
};

TEST_CASE("a steady fleet reads its rate in every window") {
  const SignalReading reading = World().read();
  CHECK(reading.health == Health::Fresh);
  CHECK(reading.short_rate == doctest::Approx(400));
  for (const double delta : reading.delta) {
    CHECK(delta == doctest::Approx(400));
  }
  CHECK(reading.complete_intervals == 4);
  CHECK(*reading.scrape_interval == 5s);
  CHECK(*reading.sample_age == 0s);
  CHECK(reading.coverage == 1);
  CHECK(reading.gapless);
}

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

TEST_CASE("what is missing is made up from what is there, and named by its share") {
  struct Row {
    const char* name;
    int silent;
    Health health;
    Fault fault;
  };

  for (const Row& row : {Row{"none", 0, Health::Fresh, Fault::None},
                         Row{"one of ten", 1, Health::Fresh, Fault::None},
                         Row{"two of ten", 2, Health::Partial, Fault::MissingPods},
                         Row{"half", 5, Health::Partial, Fault::MissingPods},
                         Row{"more than half", 6, Health::Stale, Fault::LowCoverage}}) {
    SUBCASE(row.name) {
      World world(10);
      for (int i = 0; i < row.silent; ++i) {
        world.series[static_cast<std::size_t>(i)].samples.resize(8);
      }
      const SignalReading reading = world.read();
      CHECK(reading.health == row.health);
      CHECK(reading.fault == row.fault);
      if (is_usable(row.health)) {
        CHECK(reading.short_rate == doctest::Approx(2000));
      }
    }
  }
}

TEST_CASE("an answer that the backend calls partial is Partial at best") {
  World world;
  world.question.partial_answer = true;
  CHECK(world.read().health == Health::Partial);
  CHECK(world.read().fault == Fault::PartialAnswer);
  CHECK(world.read().short_rate == doctest::Approx(400));
}

TEST_CASE("only pods that had time to be scraped are judged") {
  struct Row {
    const char* name;
    std::function<void(PodFacts&)> change;
  };

  const std::vector<Row> rows{
      {"just ready", [](PodFacts& pod) { pod.ready_since = kStart + 92s; }},
      {"not ready", [](PodFacts& pod) { pod.ready = false; }},
      {"failed", [](PodFacts& pod) { pod.phase = PodPhase::Failed; }},
      {"succeeded", [](PodFacts& pod) { pod.phase = PodPhase::Succeeded; }},
      {"terminating", [](PodFacts& pod) { pod.terminating = true; }},
  };
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      World world(2);
      PodFacts silent = world.pods[0];
      silent.name = "silent";
      row.change(silent);
      world.pods.push_back(silent);
      CHECK(world.read().judged_pods == 2);
      CHECK(world.read().coverage == 1);
    }
  }
  World world(2);
  PodFacts silent = world.pods[0];
  silent.name = "silent";
  world.pods.push_back(silent);
  CHECK(world.read().judged_pods == 3);
}

TEST_CASE("where no pod is ready, fresh samples count as full coverage") {
  World world(3);
  for (PodFacts& pod : world.pods) {
    pod.ready = false;
    pod.ready_until = kStart + 50s;
  }
  const SignalReading reading = world.read();
  CHECK(reading.health == Health::Fresh);
  CHECK(reading.short_rate == doctest::Approx(600));
}

TEST_CASE("the age is measured by the backend's clock") {
  struct Row {
    const char* name;
    Milliseconds newest;
    std::optional<Milliseconds> clock;
    Health health;
  };

  for (const Row& row : {Row{"half a minute is fresh", -30s, 0s, Health::Fresh},
                         Row{"more is stale", -31s, 0s, Health::Stale},
                         Row{"a backend that is ahead", 5min, 5min, Health::Fresh},
                         Row{"a backend that is ahead and late", 5min - 40s, 5min, Health::Stale},
                         Row{"no clock: not judged here", -10min, std::nullopt, Health::Fresh}}) {
    SUBCASE(row.name) {
      World world;
      for (Series& one : world.series) {
        for (Sample& sample : one.samples) {
          sample.time_ms += row.newest.count();
        }
      }
      world.question.backend_now.reset();
      if (row.clock) {
        world.question.backend_now = world.question.now + *row.clock;
      }
      CHECK(world.read().health == row.health);
    }
  }
}

TEST_CASE("maxSampleAge: as asked for, else three scrapes, at least half a minute") {
  World world;
  for (Series& one : world.series) {
    for (Sample& sample : one.samples) {
      sample.time_ms -= 20'000;
    }
  }
  CHECK(world.read().health == Health::Fresh);
  world.question.max_sample_age = 19s;
  CHECK(world.read().health == Health::Stale);
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

TEST_CASE("an empty answer and one without two samples are missing, not zero") {
  World world;
  CHECK(read_counter(world.question, {}, world.pods).health == Health::Missing);
  for (Series& one : world.series) {
    one.samples.erase(one.samples.begin(), one.samples.end() - 1);
  }
  CHECK(world.read().health == Health::Missing);
  CHECK(world.read().fault == Fault::TooFewSamples);
}

TEST_CASE("the interval is learned from the samples and is at least ten seconds") {
  World world;
  CHECK(world.read().interval == 10s);
  for (Series& one : world.series) {
    one.samples.clear();
    for (const int second : {10, 40, 70, 100}) {
      one.samples.push_back({World::stamp(second), 200.0 * second});
    }
  }
  CHECK(*world.read().scrape_interval == 30s);
  CHECK(world.read().interval == 30s);
}

TEST_CASE("a long answer fills the past at the step that was asked for") {
  World world;
  world.question.history_step = 5s;
  const SignalReading reading = world.read();
  REQUIRE(reading.history.size() == 8);
  CHECK(reading.history.front().time == kStart + 60s);
  CHECK(reading.history.back().time == kStart + 95s);
  for (const RatePoint& point : reading.history) {
    CHECK(point.rate == doctest::Approx(400));
  }
}

TEST_CASE("a window covers what is needed, and more where the backend lags") {
  const Policy rules = policy();
  CHECK(answer_window(rules, 5s) == 70s);
  CHECK(answer_window(rules, 15s) == 90s);
  CHECK(answer_window(rules, 5s, 45s) == 90s);
  CHECK(first_answer_window(rules) == 330s);
}

TEST_CASE("a query's number, and what is none") {
  struct Row {
    const char* name;
    double value;
    Health health;
    Fault fault;
  };

  const Question question = World().question;
  for (const Row& row : {Row{"a number", 300, Health::Fresh, Fault::None},
                         Row{"zero", 0, Health::Fresh, Fault::None},
                         Row{"not a number", kNan, Health::Invalid, Fault::NotANumber},
                         Row{"infinite", HUGE_VAL, Health::Invalid, Fault::Infinite},
                         Row{"negative", -1, Health::Invalid, Fault::Negative}}) {
    SUBCASE(row.name) {
      const SignalReading reading = read_value(question, row.value);
      CHECK(reading.health == row.health);
      CHECK(reading.fault == row.fault);
    }
  }
  CHECK(read_value(question, 300, 31s).health == Health::Stale);
  CHECK(read_value(question, 300).delta == std::array<double, 4>{300, 300, 300, 300});
}

TEST_CASE("every failure of a query is unusable, and says which") {
  for (const ErrorCode code : kAllErrorCodes) {
    const SignalReading reading = unusable(fault_of(code));
    CHECK_FALSE(is_usable(reading.health));
    CHECK(reading.fault != Fault::None);
  }
  CHECK(unusable(Fault::SeveralElements).health == Health::Invalid);
  CHECK(unusable(Fault::Timeout).health == Health::Missing);
}

}  // namespace
}  // namespace scaledcache::core::test
