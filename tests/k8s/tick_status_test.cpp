#include "k8s/tick_status.h"

#include <doctest/doctest.h>

#include "core/decide.h"
#include "core/describe.h"
#include "k8s/kept_status.h"
#include "k8s/status_patch.h"
#include "k8s/status_samples.h"

namespace scaledcache::k8s {
namespace {

const WallTime kNow = *parse_time("2026-01-01T00:10:00.250Z");

core::Policy policy_of_two_hundred() {
  core::Policy policy;
  policy.min_replicas = 2;
  policy.max_replicas = 10;
  policy.signals.resize(1);
  policy.signals[0].requests_per_replica = 200;
  return policy;
}

core::SignalReading fresh_reading(double rate) {
  core::SignalReading reading;
  reading.health = core::Health::Fresh;
  reading.fault = core::Fault::None;
  reading.delta = {rate, rate, rate, rate};
  reading.complete_intervals = 4;
  reading.short_rate = rate;
  reading.scrape_interval = Milliseconds{5'000};
  reading.sample_age = Milliseconds{1'500};
  reading.measured = kNow - Milliseconds{1'500};
  reading.judged_pods = 2;
  reading.covered_pods = 2;
  return reading;
}

core::Observation observation_of(core::SignalReading reading) {
  core::Observation observation;
  observation.replicas = 2;
  observation.pods.ready = 2;
  observation.signals.push_back(std::move(reading));
  return observation;
}

Status status_of(const core::Observation& observation, const Status& stored = {}) {
  const core::Policy policy = policy_of_two_hundred();
  const core::Decision decision =
      core::decide(policy, observation, core::first_history(kNow), kNow);
  return status_after(
      stored, {policy, observation, decision, core::describe(policy, observation, decision, kNow),
               decision.replicas, 3, kNow});
}

std::string reason_of(const Status& status, const char* type) {
  const Condition* condition = find_condition(status.conditions, type);
  return condition == nullptr ? "" : condition->reason;
}

TEST_CASE("a tick with fresh data fills counts, values, decision and conditions") {
  const Status status = status_of(observation_of(fresh_reading(700)));
  CHECK(status.observed_generation == 3);
  CHECK(status.replicas == 4);
  CHECK(status.desired_replicas == 4);
  CHECK(status.ready_replicas == 2);
  CHECK(status.measured_time == kNow - Milliseconds{1'500});
  REQUIRE(status.last_decision);
  CHECK(status.last_decision->from == 2);
  CHECK(status.last_decision->to == 4);
  CHECK(status.last_decision->reason == "Grow");
  REQUIRE(status.signals.size() == 1);
  CHECK(status.signals[0].short_rate == 700);
  CHECK(status.signals[0].per_replica == 350);
  CHECK(status.signals[0].wish == 4);
  CHECK(status.signals[0].health == "Fresh");
  CHECK(reason_of(status, "Ready") == "AsExpected");
  CHECK(reason_of(status, "MetricsReady") == "Fresh");
  for (const std::string_view type : kConditionTypes) {
    CHECK(find_condition(status.conditions, type) != nullptr);
  }
}

TEST_CASE("the written status is the one that is read: the next tick finds no difference") {
  const core::Observation observation = observation_of(fresh_reading(300));
  const Status once = status_of(observation);
  const Status read_back = status_from_json(to_json(once));
  const Status twice = status_of(observation, read_back);
  Spec spec;
  CHECK_FALSE(status_write_due(spec, read_back, twice, Milliseconds{0}));
  CHECK_FALSE(encode_status_patch("u-1", read_back, twice));
}

TEST_CASE("what was measured last stays while nothing is usable") {
  core::SignalReading broken;
  broken.health = core::Health::Missing;
  broken.fault = core::Fault::BackendUnreachable;
  const Status stored = status_of(observation_of(fresh_reading(300)));
  const Status status = status_of(observation_of(broken), stored);
  REQUIRE(status.signals.size() == 1);
  CHECK(status.signals[0].health == "Missing");
  CHECK(status.signals[0].short_rate == 300);
  CHECK(status.measured_time == stored.measured_time);
}

TEST_CASE("a fault is named in the metrics condition, by a phrase of ours") {
  for (const core::Fault fault :
       {core::Fault::EmptyAnswer, core::Fault::QueryError, core::Fault::BackendUnreachable,
        core::Fault::Timeout, core::Fault::Unauthorized, core::Fault::TooOld,
        core::Fault::NotANumber, core::Fault::ScopeMismatch}) {
    core::SignalReading broken;
    broken.health = core::Health::Missing;
    broken.fault = fault;
    const Status status = status_of(observation_of(broken));
    const std::string message = find_condition(status.conditions, "MetricsReady")->message;
    CAPTURE(message);
    CHECK(message.find("signal requests: ") == 0);
    CHECK(message.size() > std::string("signal requests: ").size());
  }
}

TEST_CASE("a missing pod label names the labels that came, cleaned, and the likely one") {
  core::SignalReading broken;
  broken.health = core::Health::Invalid;
  broken.fault = core::Fault::NoPodLabel;
  broken.labels_seen = {"exported_pod", "evil\n<script>"};
  broken.likely_pod_label = "exported_pod";
  const Status status = status_of(observation_of(broken));
  const std::string message = find_condition(status.conditions, "MetricsReady")->message;
  CAPTURE(message);
  CHECK(message.find("set podLabel to it") != std::string::npos);
  CHECK(message.find('\n') == std::string::npos);
}

}  // namespace
}  // namespace scaledcache::k8s
