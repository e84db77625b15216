#include "controller/commands/outlook.h"

#include <algorithm>
#include <cmath>

#include "k8s/kept_status.h"
#include "k8s/spec_policy.h"

namespace scaledcache::controller {
namespace {

constexpr int kMostTicks = 4'000;  // of one look ahead
constexpr int kHalvings = 40;

core::Health health_of(const std::string& name) {
  for (const core::Health health : {core::Health::Fresh, core::Health::Partial, core::Health::Stale,
                                    core::Health::Missing, core::Health::Invalid}) {
    if (name == core::name_of(health)) {
      return health;
    }
  }
  return name == core::name_of(core::Health::Suspect) ? core::Health::Fresh : core::Health::Missing;
}

void set_rate(core::SignalReading& reading, double rate) {
  reading.short_rate = rate;
  reading.delta = {rate, rate, rate, rate};
}

// The long window as the operator has it: full of fresh data at today's rate.
std::vector<core::RatePoint> past_of(const core::Policy& policy, double rate, WallTime now) {
  std::vector<core::RatePoint> points;
  const Milliseconds step = std::max(policy.poll_interval, policy.long_window / 360);
  for (WallTime time = now - policy.long_window - step; time < now; time += step) {
    points.push_back({time, rate});
  }
  return points;
}

core::SignalReading reading_of(const k8s::SignalStatus& status,
                               const core::Policy& policy,
                               WallTime now) {
  core::SignalReading reading;
  reading.health = health_of(status.health);
  reading.fault = core::is_usable(reading.health) ? core::Fault::None : core::Fault::EmptyAnswer;
  set_rate(reading, status.short_rate.value_or(0));
  reading.complete_intervals = 4;
  reading.coverage = status.coverage.value_or(1);
  reading.sample_age = status.sample_age.value_or(Milliseconds{0});
  reading.foreign_series = status.foreign_series.value_or(0);
  reading.has_served = reading.short_rate > 1;
  reading.history = past_of(policy, reading.short_rate, now);
  return reading;
}

core::SignalReading reading_of(const k8s::ScaledCache& cache,
                               const std::string& name,
                               const core::Policy& policy,
                               WallTime now) {
  for (const k8s::SignalStatus& status : cache.status.signals) {
    if (status.name == name) {
      return reading_of(status, policy, now);
    }
  }
  return {};
}

core::Contender contender_of(const k8s::ScaledCache& cache) {
  const k8s::Condition* contested = k8s::find_condition(cache.status.conditions, "Contested");
  if (contested == nullptr || contested->status != k8s::ConditionStatus::True) {
    return core::Contender::None;
  }
  return contested->reason == "HorizontalPodAutoscaler" ? core::Contender::HorizontalPodAutoscaler
         : contested->reason == "ScaledCache"           ? core::Contender::ScaledCache
                                                        : core::Contender::None;
}

core::Observation observation_of(const k8s::ScaledCache& cache,
                                 const core::Policy& policy,
                                 WallTime now) {
  core::Observation observation;
  const k8s::Status& status = cache.status;
  observation.replicas =
      status.replicas.value_or(status.last_decision ? status.last_decision->to : 0);
  observation.draining = status.draining.value_or(0);
  observation.pods.ready = status.ready_replicas.value_or(0);
  observation.pods.warm = status.warm_replicas.value_or(observation.pods.ready);
  observation.pods.warming = status.warming.value_or(0);
  observation.pause = k8s::to_pause_wish(cache.pause);
  observation.force_activation = cache.pause.force_activation;
  observation.contender = contender_of(cache);
  const std::string reason = status.last_decision ? status.last_decision->reason : "";
  if (reason == core::name_of(core::Reason::Warming)) {
    observation.warming_since = {status.last_scale_up_time.value_or(now)};
  }
  if (reason == core::name_of(core::Reason::RolloutInProgress)) {
    observation.rollout = core::Rollout{"seen", status.last_decision->time};
  }
  for (const core::SignalPolicy& signal : policy.signals) {
    observation.signals.push_back(reading_of(cache, signal.name, policy, now));
  }
  return observation;
}

// The first decision that differs from the count, in `most` of time to come.
struct Ahead {
  core::Reason first = core::Reason::Steady;  // the reason now
  std::optional<WallTime> shrinks;
  int to = 0;
};

Milliseconds horizon(const core::Policy& policy) {
  const Milliseconds windows = 4 * policy.long_window * std::max(1, policy.scale_down.outage_hold);
  return windows + policy.cooldown + policy.scale_down.interval + std::chrono::minutes{1};
}

// Plays ticks with all rates at `share` of today's until the count falls.
Ahead look_ahead(const Situation& situation, double share) {
  core::Policy policy = situation.policy;
  const Milliseconds end = horizon(policy);
  policy.poll_interval = std::max(policy.poll_interval, end / kMostTicks);
  core::Observation observation = situation.observation;
  for (core::SignalReading& reading : observation.signals) {
    set_rate(reading, reading.short_rate * share);
  }
  core::History history = situation.history;
  Ahead ahead;
  for (Milliseconds passed{0}; passed <= end; passed += policy.poll_interval) {
    const WallTime now = situation.now + passed;
    core::Decision decision = core::decide(policy, observation, history, now);
    if (passed.count() == 0) {
      ahead.first = decision.reason;
    }
    if (decision.replicas < decision.from) {
      ahead.shrinks = now;
      ahead.to = decision.replicas;
      return ahead;
    }
    if (decision.replicas > decision.from) {
      return ahead;
    }
    history = std::move(decision.history);
  }
  return ahead;
}

core::Decision decide_at(const Situation& situation, std::size_t signal, double rate) {
  core::Observation observation = situation.observation;
  core::SignalReading& reading = observation.signals[signal];
  if (!core::is_usable(reading.health)) {
    reading.health = core::Health::Fresh;
    reading.fault = core::Fault::None;
  }
  set_rate(reading, rate);
  return core::decide(situation.policy, observation, situation.history, situation.now);
}

Growth growth_of(const Situation& situation, std::size_t index) {
  const core::SignalPolicy& signal = situation.policy.signals[index];
  Growth growth{signal.name, std::nullopt, 0, core::Reason::Steady};
  double low = 0;
  double high = 4 * signal.q() * (situation.policy.max_replicas + situation.serving() + 1);
  const core::Decision most = decide_at(situation, index, high);
  if (most.replicas <= most.from) {
    growth.held_by = most.reason;
    return growth;
  }
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    const core::Decision decision = decide_at(situation, index, middle);
    if (decision.replicas > decision.from) {
      high = middle;
      growth.to = decision.replicas;
    } else {
      low = middle;
    }
  }
  growth.at = high;
  growth.to = growth.to == 0 ? most.replicas : growth.to;
  return growth;
}

}  // namespace

Situation situation_of(const k8s::ScaledCache& cache, WallTime now) {
  Situation situation;
  situation.now = now;
  situation.policy = k8s::to_policy(cache.spec);
  situation.observation = observation_of(cache, situation.policy, now);
  situation.history = core::restore(k8s::kept_from_status(cache.status), now);
  if (!situation.policy.dry_run) {
    // A count that was not written yet is nobody else's doing.
    situation.history.replicas = situation.observation.replicas;
  }
  return situation;
}

std::vector<Growth> when_it_grows(const Situation& situation) {
  std::vector<Growth> all;
  for (std::size_t i = 0; i < situation.policy.signals.size(); ++i) {
    all.push_back(growth_of(situation, i));
  }
  return all;
}

Shrinking when_it_shrinks(const Situation& situation) {
  Shrinking shrinking;
  const Ahead steady = look_ahead(situation, 1);
  shrinking.due = steady.shrinks;
  shrinking.to = steady.to;
  // As little as is still no outage: a rate that vanishes is not believed at first.
  constexpr double kLeast = 1e-6;
  const Ahead idle = look_ahead(situation, kLeast);
  shrinking.earliest = idle.shrinks;
  shrinking.held_by = idle.first;
  if (!idle.shrinks || steady.shrinks) {
    return shrinking;
  }
  double low = kLeast;
  double high = 1;
  for (int i = 0; i < kHalvings / 2; ++i) {
    const double middle = (low + high) / 2;
    (look_ahead(situation, middle).shrinks ? low : high) = middle;
  }
  shrinking.below = low;
  return shrinking;
}

}  // namespace scaledcache::controller
