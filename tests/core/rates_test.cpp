#include "core/rates.h"

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "core/counter_world.h"

namespace scaledcache::core::test {
namespace {

using World = CounterWorld;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

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
