// Small worlds for tests of the core: a policy with one signal, readings, and ticks in a row.
#pragma once

#include <utility>

#include "core/decide.h"

namespace scaledcache::core::test {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

inline constexpr WallTime kStart{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};

inline Policy policy(int min = 2, int max = 10, double per_replica = 200) {
  Policy policy;
  policy.min_replicas = min;
  policy.max_replicas = max;
  policy.signals.push_back({});
  policy.signals.back().requests_per_replica = per_replica;
  return policy;
}

// A Fresh reading of a rate that has stood for as long as the windows reach.
inline SignalReading fresh(double rate) {
  SignalReading reading;
  reading.health = Health::Fresh;
  reading.fault = Fault::None;
  reading.delta = {rate, rate, rate, rate};
  reading.complete_intervals = 4;
  reading.short_rate = rate;
  reading.scrape_interval = 5s;
  reading.sample_age = 2s;
  reading.has_served = rate > 1;
  return reading;
}

inline SignalReading with_health(double rate, Health health, Fault fault) {
  SignalReading reading = fresh(rate);
  reading.health = health;
  reading.fault = fault;
  return reading;
}

inline Observation observe(int replicas, SignalReading reading) {
  Observation observation;
  observation.replicas = replicas;
  observation.pods = {replicas, replicas, 0};
  observation.signals.push_back(std::move(reading));
  return observation;
}

// Ticks in a row, one per poll interval. What is decided is written.
class Play {
 public:
  explicit Play(Policy policy, int replicas)
      : policy_(std::move(policy)), history_(first_history(kStart)), replicas_(replicas) {}

  // One tick with this reading; the observation's count is the play's own.
  Decision tick(Observation observation) {
    observation.replicas = replicas_;
    observation.pods = {replicas_, replicas_, 0};
    Decision decision = decide(policy_, observation, history_, now_);
    history_ = decision.history;
    replicas_ = policy_.dry_run ? replicas_ : decision.replicas;
    now_ += policy_.poll_interval;
    return decision;
  }

  Decision tick(SignalReading reading) { return tick(observe(replicas_, std::move(reading))); }

  // Ticks for so long; the last decision.
  Decision pass(Milliseconds time, const SignalReading& reading) {
    Decision decision;
    for (const WallTime until = now_ + time; now_ < until;) {
      decision = tick(reading);
    }
    return decision;
  }

  // A fleet that has served `rate` for long enough that nothing holds but what the load says.
  Play& settle(double rate) {
    pass(20min, fresh(rate));
    return *this;
  }

  [[nodiscard]] int replicas() const { return replicas_; }

  [[nodiscard]] WallTime now() const { return now_; }

  [[nodiscard]] const History& history() const { return history_; }

  Policy& policy() { return policy_; }

  void set_replicas(int replicas) { replicas_ = replicas; }

  void set_history(History history) { history_ = std::move(history); }

 private:
  Policy policy_;
  History history_;
  WallTime now_ = kStart;
  int replicas_;
};

}  // namespace scaledcache::core::test
