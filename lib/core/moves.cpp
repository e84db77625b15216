#include "core/moves.h"

#include <algorithm>
#include <cstdint>

#include "core/constants.h"

namespace scaledcache::core {
namespace {

bool any_saturated(const Tick& tick) {
  return std::any_of(tick.signals.begin(), tick.signals.end(),
                     [](const SignalVerdict& signal) { return signal.saturated; });
}

}  // namespace

bool passed(std::optional<WallTime> since, Milliseconds time, WallTime now) {
  return !since || now - *since >= time;
}

int percent_of(int replicas, int percent) {
  return static_cast<int>(std::int64_t{replicas} * percent / 100);
}

bool is_contended(const Tick& tick) {
  return tick.observation.contender != Contender::None && !tick.policy.dry_run;
}

bool may_write_in_fight(const Tick& tick) {
  return passed(tick.next.last_fight_write, kFightGrowth, tick.now);
}

int wanted(const Tick& tick) {
  int most = tick.serving;
  for (const SignalVerdict& signal : tick.signals) {
    const double room =
        tick.serving * signal.q * (1 + tick.policy.scale_up.tolerance_percent / 100.0);
    if (is_usable(signal.health) && signal.wish > most && signal.need > room) {
      most = signal.wish;
    }
  }
  return most;
}

int growth_limit(const Tick& tick) {
  const std::int64_t s = tick.serving;
  const std::int64_t limit =
      std::max(s * tick.policy.scale_up.max_factor, s + tick.policy.scale_up.max_pods);
  return s == 0 ? tick.max : static_cast<int>(std::min<std::int64_t>(limit, tick.max));
}

bool held_back(const Tick& tick) {
  return std::any_of(tick.signals.begin(), tick.signals.end(),
                     [](const SignalVerdict& signal) { return signal.held_back; });
}

bool vetoed_by_guard(const Tick& tick) {
  return tick.observation.growth_veto && !any_saturated(tick);
}

bool growth_cools_down(const Tick& tick) {
  return !tick.next.last_up_is_start &&
         !passed(tick.next.last_up, tick.policy.scale_up.cooldown, tick.now);
}

int fallback_count(const Tick& tick) {
  const FallbackPolicy& fallback = tick.policy.fallback;
  switch (fallback.behavior) {
    case FallbackBehavior::Hold:
      return tick.serving;
    case FallbackBehavior::Static:
      return fallback.replicas;
    case FallbackBehavior::CurrentOrHigher:
      return std::max(tick.serving, fallback.replicas);
    case FallbackBehavior::CurrentOrLower:
      return std::min(tick.serving, fallback.replicas);
    case FallbackBehavior::Maximum:
      return tick.max;
  }
  return tick.serving;
}

int shrink_step(const Tick& tick) {
  return std::max(1, percent_of(tick.serving, tick.policy.scale_down.step_percent));
}

bool may_step_down(const Tick& tick) {
  return tick.observation.draining == 0 &&
         passed(tick.next.last_up, tick.policy.cooldown, tick.now) &&
         passed(tick.next.last_down, tick.policy.scale_down.interval, tick.now);
}

}  // namespace scaledcache::core
