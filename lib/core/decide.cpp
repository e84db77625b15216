// The rules in their order: decision.md section 4. Each is one short function; the first one that
// speaks decides. What a signal says (rules 5 to 8) is judged before, in signals.cpp.
#include "core/decide.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "core/signals.h"
#include "core/tick.h"
#include "core/writes.h"

namespace scaledcache::core {
namespace {

// What a rule says: so many replicas, and why.
struct Verdict {
  int replicas = 0;
  Reason reason = Reason::Steady;
};

using Spoken = std::optional<Verdict>;

bool passed(std::optional<WallTime> since, Milliseconds time, WallTime now) {
  return !since || now - *since >= time;
}

// ------------------------------------------------------------------ 1. Paused

Spoken paused(const Tick& tick) {
  const PauseWish& pause = tick.observation.pause;
  if (pause.paused_replicas) {
    const bool obeyed = tick.next.parked == pause.paused_replicas;
    return Verdict{obeyed ? tick.serving : std::max(0, *pause.paused_replicas), Reason::Paused};
  }
  if (pause.paused) {
    return Verdict{tick.serving, Reason::Paused};
  }
  return {};
}

// ------------------------------------------------------------ 2. ScaledToZero

Spoken scaled_to_zero(const Tick& tick) {
  if (tick.serving == 0 && tick.policy.min_replicas > 0) {
    return Verdict{0, Reason::ScaledToZero};
  }
  return {};
}

// ------------------------------------------------------------------ 3. Bounds

bool may_write_in_fight(const Tick& tick) {
  return passed(tick.next.last_fight_write, std::chrono::minutes{1}, tick.now);
}

Spoken below_minimum(const Tick& tick) {
  const bool held_up = tick.fighting && !may_write_in_fight(tick);
  if (tick.serving < tick.min && !held_up && !tick.observation.pause.no_growth) {
    return Verdict{tick.min, Reason::BelowMinimum};
  }
  return {};
}

Spoken above_maximum(const Tick& tick) {
  if (tick.serving > tick.max && !tick.fighting && !tick.observation.pause.no_shrinking) {
    return Verdict{tick.max, Reason::AboveMaximum};
  }
  return {};
}

// --------------------------------------------------------------------- 9. Grow

// The largest wish of those that are above the tolerance.
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

// How far one tick may grow; from zero there is no limit.
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

bool any_saturated(const Tick& tick) {
  return std::any_of(tick.signals.begin(), tick.signals.end(),
                     [](const SignalVerdict& signal) { return signal.saturated; });
}

// An enforced guard stops growth that does not help, never below what refused requests need.
bool vetoed_by_guard(const Tick& tick) {
  return tick.observation.growth_veto && !any_saturated(tick);
}

bool growth_cools_down(const Tick& tick) {
  return !tick.next.last_up_is_start &&
         !passed(tick.next.last_up, tick.policy.scale_up.cooldown, tick.now);
}

Spoken grow(const Tick& tick) {
  const int goal = wanted(tick);
  if (goal <= tick.serving || tick.observation.pause.no_growth || vetoed_by_guard(tick) ||
      growth_cools_down(tick)) {
    return {};
  }
  const int now = std::min(goal, growth_limit(tick));
  const bool limited = now < goal || held_back(tick);
  return Verdict{now, limited ? Reason::ScaleUpLimited : Reason::Grow};
}

// ------------------------------------------------- 4. Contested, NoData, Fallback

// With an HPA, hold. With a writer that puts the count back, never shrink, and grow once a minute.
Spoken contested(const Tick& tick) {
  if (tick.policy.dry_run) {
    return {};
  }
  if (tick.observation.contender != Contender::None) {
    return Verdict{tick.serving, Reason::Contested};
  }
  if (!tick.fighting) {
    return {};
  }
  const Spoken growth = grow(tick);
  return growth && may_write_in_fight(tick) ? growth : Verdict{tick.serving, Reason::Contested};
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

int percent_of(int replicas, int percent) {
  return static_cast<int>(std::int64_t{replicas} * percent / 100);
}

int shrink_step(const Tick& tick) {
  return std::max(1, percent_of(tick.serving, tick.policy.scale_down.step_percent));
}

bool may_step_down(const Tick& tick) {
  return tick.observation.draining == 0 &&
         passed(tick.next.last_up, tick.policy.cooldown, tick.now) &&
         passed(tick.next.last_down, tick.policy.scale_down.interval, tick.now);
}

// Exactly as many as it says: upward at once, downward in the steps of any shrink.
Verdict fall_back(const Tick& tick) {
  const int goal = std::clamp(fallback_count(tick), tick.min, tick.max);
  const PauseWish& pause = tick.observation.pause;
  if (goal > tick.serving) {
    return {pause.no_growth ? tick.serving : goal, Reason::Fallback};
  }
  const bool down = goal < tick.serving && may_step_down(tick) && !pause.no_shrinking;
  return {down ? std::max(goal, tick.serving - shrink_step(tick)) : tick.serving, Reason::Fallback};
}

Spoken no_data(const Tick& tick) {
  if (tick.any_usable()) {
    return {};
  }
  const auto since = tick.next.last_usable ? tick.next.last_usable : tick.next.first_tick;
  const bool lasted = since && tick.now - *since > tick.policy.failure_grace;
  if (tick.policy.fallback.behavior != FallbackBehavior::Hold && lasted) {
    return fall_back(tick);
  }
  return Verdict{tick.serving, Reason::NoData};
}

// ------------------------------------------------------ 10. Shrink and 11. Hold

bool guard_vetoes(const Tick& tick) {
  return wanted(tick) > tick.serving && vetoed_by_guard(tick);
}

bool growth_is_cooling_down(const Tick& tick) {
  return wanted(tick) > tick.serving && growth_cools_down(tick);
}

bool drains(const Tick& tick) {
  return tick.observation.draining > 0;
}

bool any_has(const Tick& tick, Health health) {
  return std::any_of(tick.signals.begin(), tick.signals.end(),
                     [&](const SignalVerdict& signal) { return signal.health == health; });
}

bool data_is_partial(const Tick& tick) {
  return any_has(tick, Health::Partial);
}

bool data_is_suspect(const Tick& tick) {
  return any_has(tick, Health::Suspect);
}

bool at_maximum(const Tick& tick) {
  return tick.serving >= tick.max && tick.unclamped > tick.max;
}

bool growth_is_paused(const Tick& tick) {
  return tick.observation.pause.no_growth && wanted(tick) > tick.serving;
}

// The short window itself needs what is there, or more by no more than the tolerance.
bool steady(const Tick& tick) {
  return tick.serving > 0 && tick.unclamped >= tick.serving;
}

bool at_minimum(const Tick& tick) {
  return tick.serving <= tick.min && tick.wish <= tick.serving;
}

bool one_signal_unknown(const Tick& tick) {
  return !std::all_of(tick.signals.begin(), tick.signals.end(),
                      [](const SignalVerdict& signal) { return is_usable(signal.health); });
}

bool too_little_fresh_data(const Tick& tick) {
  constexpr double kEnough = 0.9;
  const WallTime since = tick.now - tick.policy.long_window;
  return std::any_of(
      tick.next.signals.begin(), tick.next.signals.end(),
      [&](const SignalHistory& signal) { return signal.fresh.share(since, tick.now) < kEnough; });
}

bool rollout_in_progress(const Tick& tick) {
  constexpr Milliseconds kLongest = std::chrono::minutes{30};
  return tick.next.rollout_since &&
         tick.now - *tick.next.rollout_since < std::max(tick.policy.long_window, kLongest);
}

// A pod that is still on its way shows that the lead is at least its age.
bool warming(const Tick& tick) {
  const auto& since = tick.observation.warming_since;
  return std::any_of(since.begin(), since.end(), [&](WallTime ordered) {
    const Milliseconds age = tick.now - ordered;
    const Milliseconds lead = std::min(kLongestLead, std::max(tick.next.lead, age));
    return age < std::max(tick.policy.long_window, 3 * lead);
  });
}

bool cooling_down(const Tick& tick) {
  return !passed(tick.next.last_up, tick.policy.cooldown, tick.now);
}

bool peak_needs_it(const Tick& tick) {
  const int tolerated = percent_of(tick.serving, tick.policy.scale_down.tolerance_percent);
  return tick.shrink_to > tick.serving - std::max(1, tolerated);
}

// A large surplus goes when the long window agrees, a small one once it has lasted.
bool patient(const Tick& tick) {
  const auto window = static_cast<double>(tick.policy.long_window.count());
  const auto idle = static_cast<double>(tick.next.idle.count());
  const double enough = tick.policy.scale_down.patience_percent / 100.0 * window;
  return idle + tick.surplus * window < enough - 1e-9;
}

bool between_steps(const Tick& tick) {
  return !passed(tick.next.last_down, tick.policy.scale_down.interval, tick.now);
}

bool shrinking_is_paused(const Tick& tick) {
  return tick.observation.pause.no_shrinking;
}

struct Hold {
  Reason reason;
  bool (*applies)(const Tick&);
};

// What keeps the count; the first that applies is the reason. Where none does, the fleet shrinks.
constexpr std::array kHolds{
    Hold{Reason::GrowthCoolingDown, growth_is_cooling_down},
    Hold{Reason::Draining, drains},
    Hold{Reason::DataPartial, data_is_partial},
    Hold{Reason::DataSuspect, data_is_suspect},
    Hold{Reason::AtMaximum, at_maximum},
    Hold{Reason::PausedDirection, growth_is_paused},
    Hold{Reason::Steady, steady},
    Hold{Reason::AtMinimum, at_minimum},
    Hold{Reason::NoData, one_signal_unknown},
    Hold{Reason::LongWindow, too_little_fresh_data},
    Hold{Reason::RolloutInProgress, rollout_in_progress},
    Hold{Reason::Warming, warming},
    Hold{Reason::CoolingDown, cooling_down},
    Hold{Reason::LongWindow, peak_needs_it},
    Hold{Reason::LongWindow, patient},
    Hold{Reason::ScaleDownLimited, between_steps},
    Hold{Reason::PausedDirection, shrinking_is_paused},
};

Spoken hold(const Tick& tick) {
  if (guard_vetoes(tick)) {
    return Verdict{tick.serving, *tick.observation.growth_veto};
  }
  for (const Hold& one : kHolds) {
    if (one.applies(tick)) {
      return Verdict{tick.serving, one.reason};
    }
  }
  return {};
}

Spoken shrink(const Tick& tick) {
  const int now = std::max(tick.shrink_to, tick.serving - shrink_step(tick));
  return Verdict{now, now > tick.shrink_to ? Reason::ScaleDownLimited : Reason::Shrink};
}

// --------------------------------------------------------------------- One tick

using Rule = Spoken (*)(const Tick&);

constexpr std::array<Rule, 9> kRules{
    paused, scaled_to_zero, below_minimum, above_maximum, contested, no_data, grow, hold, shrink,
};

Verdict first_that_speaks(const Tick& tick) {
  for (const Rule rule : kRules) {
    if (const Spoken spoken = rule(tick)) {
      return *spoken;
    }
  }
  return {tick.serving, Reason::Steady};
}

int minimum_in_force(const Policy& policy, WallTime now) {
  int least = policy.min_replicas;
  for (const Schedule& schedule : policy.schedules) {
    if (schedule.min_replicas > least && in_force(schedule, now)) {
      least = schedule.min_replicas;
    }
  }
  return std::min(least, policy.max_replicas);
}

void note_warmed(Tick& tick) {
  constexpr double kWeight = 0.3;
  for (const Milliseconds took : tick.observation.warmed) {
    const auto distance = static_cast<double>((took - tick.next.lead).count());
    tick.next.lead += Milliseconds{std::llround(kWeight * distance)};
  }
  tick.next.lead = std::clamp(tick.next.lead, Milliseconds{0}, kLongestLead);
}

void note_rollout(Tick& tick) {
  const auto& rollout = tick.observation.rollout;
  if (!rollout) {
    tick.next.rollout_since.reset();
  } else if (!tick.next.rollout_since || rollout->revision != tick.next.rollout_revision) {
    tick.next.rollout_since = std::min(rollout->since.value_or(tick.now), tick.now);
    tick.next.rollout_revision = rollout->revision;
  }
}

void note_contender(Tick& tick) {
  const bool contended = tick.observation.contender != Contender::None;
  if (tick.next.contended && !contended) {
    tick.next.last_up = tick.now;
  }
  tick.next.contended = contended;
  tick.fighting = !tick.policy.dry_run && is_fight(tick.next, tick.now);
}

// A rate that halves within two intervals may be an outage, with a storm to follow.
void note_outage(Tick& tick) {
  const bool fell =
      std::any_of(tick.observation.signals.begin(), tick.observation.signals.end(),
                  [](const SignalReading& reading) {
                    return is_usable(reading.health) && reading.delta[0] < reading.delta[2] / 2;
                  });
  const int hold = tick.policy.scale_down.outage_hold;
  const bool holding = tick.next.outage_hold_until && tick.now < *tick.next.outage_hold_until;
  if (fell && hold > 1 && !holding) {
    tick.next.outage_hold_until = tick.now + hold * tick.policy.long_window;
  }
  tick.long_window =
      holding || (fell && hold > 1) ? hold * tick.policy.long_window : tick.policy.long_window;
}

Tick begin(const Policy& policy,
           const Observation& observation,
           const History& history,
           WallTime now) {
  Tick tick{policy, observation, now, history};
  tick.elapsed = policy.poll_interval;
  if (history.last_tick) {
    tick.elapsed = std::clamp(now - *history.last_tick, Milliseconds{0}, 2 * policy.poll_interval);
  }
  tick.next.first_tick = history.first_tick.value_or(now);
  note_writes(tick);
  if (policy.dry_run) {
    tick.next.shadow = history.shadow.value_or(observation.replicas);
  } else {
    tick.next.shadow.reset();
  }
  tick.serving =
      std::max(0, tick.next.shadow.value_or(observation.replicas - observation.draining));
  tick.max = policy.max_replicas;
  tick.min = minimum_in_force(policy, now);
  if (observation.force_activation) {
    tick.min = std::min(std::max(1, tick.min), tick.max);
  }
  note_contender(tick);
  note_warmed(tick);
  note_rollout(tick);
  note_outage(tick);
  return tick;
}

SignalHistory take_signal(std::vector<SignalHistory>& known, const std::string& name) {
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const SignalHistory& signal) { return signal.name == name; });
  SignalHistory signal = found == known.end() ? SignalHistory{} : std::move(*found);
  signal.name = name;
  return signal;
}

void judge_signals(Tick& tick) {
  static const SignalReading kUnread;
  std::vector<SignalHistory> known = std::move(tick.next.signals);
  tick.next.signals.clear();
  tick.shrink_to = tick.min;
  for (std::size_t i = 0; i < tick.policy.signals.size(); ++i) {
    const SignalPolicy& signal = tick.policy.signals[i];
    const auto& readings = tick.observation.signals;
    SignalHistory history = take_signal(known, signal.name);
    tick.signals.push_back(
        judge_signal(tick, signal, i < readings.size() ? readings[i] : kUnread, history));
    tick.next.signals.push_back(std::move(history));
    const SignalVerdict& verdict = tick.signals.back();
    tick.wish = std::max(tick.wish, verdict.wish);
    tick.unclamped = std::max(tick.unclamped, verdict.unclamped);
    tick.shrink_to = std::max(tick.shrink_to, verdict.shrink_to);
  }
  if (tick.any_usable()) {
    tick.next.last_usable = tick.now;
  }
}

// The surplus, and how long it has lasted; kept as it is while data is not Fresh.
void note_surplus(Tick& tick) {
  if (tick.serving > 0) {
    tick.surplus = std::max(0.0, static_cast<double>(tick.serving - tick.shrink_to) / tick.serving);
  }
  if (!tick.all_fresh()) {
    return;
  }
  const auto idle = tick.surplus * static_cast<double>(tick.elapsed.count());
  tick.next.idle =
      tick.surplus > 0 ? tick.next.idle + Milliseconds{std::llround(idle)} : Milliseconds{0};
}

Decision conclude(Tick& tick, const Verdict& verdict) {
  Decision decision;
  decision.from = tick.serving;
  decision.replicas = verdict.replicas;
  decision.reason = verdict.reason;
  if (verdict.replicas > tick.serving) {
    decision.cancel_drains = std::min(tick.observation.draining, verdict.replicas - tick.serving);
  }
  if (verdict.replicas != tick.serving) {
    note_decision(tick, verdict.replicas);
    if (tick.fighting) {
      tick.next.last_fight_write = tick.now;
    }
  }
  tick.next.parked = tick.observation.pause.paused_replicas;
  tick.next.last_tick = tick.now;
  decision.look_again_after = tick.policy.poll_interval;
  decision.wish = tick.wish;
  decision.shrink_to = tick.shrink_to;
  decision.min_replicas = tick.min;
  decision.max_replicas = tick.max;
  decision.surplus = tick.surplus;
  decision.fighting = tick.fighting;
  decision.signals = std::move(tick.signals);
  decision.history = std::move(tick.next);
  return decision;
}

}  // namespace

bool Tick::any_usable() const {
  return std::any_of(signals.begin(), signals.end(),
                     [](const SignalVerdict& signal) { return is_usable(signal.health); });
}

bool Tick::all_fresh() const {
  return std::all_of(signals.begin(), signals.end(),
                     [](const SignalVerdict& signal) { return signal.health == Health::Fresh; });
}

Decision decide(const Policy& policy,
                const Observation& observation,
                const History& history,
                WallTime now) {
  Tick tick = begin(policy, observation, history, now);
  judge_signals(tick);
  note_surplus(tick);
  return conclude(tick, first_that_speaks(tick));
}

}  // namespace scaledcache::core
