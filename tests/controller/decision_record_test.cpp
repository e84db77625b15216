#include "controller/decision_record.h"

#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "core/decide.h"

namespace scaledcache::controller {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kStart = WallTime{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};

core::Policy policy() {
  core::Policy policy;
  policy.min_replicas = 2;
  policy.max_replicas = 10;
  core::SignalPolicy signal;
  signal.requests_per_replica = 200;
  policy.signals = {signal};
  return policy;
}

core::SignalReading reading(double rate, WallTime now) {
  core::SignalReading reading;
  reading.health = core::Health::Fresh;
  reading.fault = core::Fault::None;
  reading.delta = {rate, rate * 0.99, rate * 1.01, rate};
  reading.complete_intervals = 4;
  reading.short_rate = rate;
  reading.measured = now - 1s;
  reading.newest_sample = now - 1s;
  reading.sample_age = Milliseconds{1'000};
  reading.scrape_interval = Milliseconds{5'000};
  return reading;
}

// A made-up hour of load: steps, ramps and a hole, so that every part of the history is in use.
core::SignalReading reading_at(int tick, WallTime now) {
  if (tick > 300 && tick < 320) {
    core::SignalReading missing;
    missing.fault = core::Fault::Timeout;
    return missing;
  }
  const double wave = 900 + 600 * std::sin(tick / 40.0);
  return reading(tick > 100 && tick < 160 ? 2300 : wave, now);
}

TEST_CASE("whoever has the record of a decision can make it again, bit for bit") {
  core::History history = core::first_history(kStart);
  int replicas = 2;
  for (int tick = 0; tick < 720; ++tick) {
    const WallTime now = kStart + tick * 5s;
    DecisionInputs inputs{policy(), {}, history, now};
    inputs.observation.replicas = replicas;
    inputs.observation.pods.ready = replicas;
    inputs.observation.signals = {reading_at(tick, now)};
    const core::Decision made =
        core::decide(inputs.policy, inputs.observation, inputs.history, now);

    const auto text = record_inputs(inputs).dump();
    const auto read = read_inputs(Json::parse(text));
    REQUIRE(read);
    const core::Decision again =
        core::decide(read->policy, read->observation, read->history, read->now);
    REQUIRE(again.replicas == made.replicas);
    REQUIRE(again.reason == made.reason);
    REQUIRE(again.history == made.history);
    REQUIRE(read->history == inputs.history);
    history = made.history;
    replicas = made.replicas;
  }
}

TEST_CASE("numbers that JSON does not have survive") {
  DecisionInputs inputs{policy(), {}, {}, kStart};
  inputs.observation.signals = {reading(std::numeric_limits<double>::infinity(), kStart)};
  inputs.observation.signals[0].short_rate = std::numeric_limits<double>::quiet_NaN();
  const auto read = read_inputs(Json::parse(record_inputs(inputs).dump()));
  REQUIRE(read);
  CHECK(std::isinf(read->observation.signals[0].delta[0]));
  CHECK(std::isnan(read->observation.signals[0].short_rate));
}

TEST_CASE("a record that is none says which member cannot be read") {
  CHECK_FALSE(read_inputs(Json("text")));
  const auto broken = read_inputs(Json::parse(R"({"policy": {"minReplicas": "two"}})"));
  REQUIRE_FALSE(broken);
  CHECK(broken.error().code == ErrorCode::Protocol);
  CHECK(broken.error().message.find("minReplicas") != std::string::npos);
}

}  // namespace
}  // namespace scaledcache::controller
