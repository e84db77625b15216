// The rules in their order: docs/decision.md. Each is one short function; the first one that speaks
// decides. What the rules are given is worked out before: who wrote the count and how long things
// have lasted in tick.cpp, what each signal says in signals.cpp. How far and how soon the count may
// move stands in moves.cpp, each reason to hold it in holds.cpp.
#include "core/decide.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/holds.h"
#include "core/moves.h"
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

// ------------------------------------------------------------------ 1. Paused

Spoken paused(const Tick& tick) {
  const PauseWish& pause = tick.observation.pause;
  if (pause.paused_replicas && !is_contended(tick)) {
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

// ---------------------------------------------- 3. BelowMinimum, AboveMaximum

Spoken below_minimum(const Tick& tick) {
  const bool held_up = tick.fighting && !may_write_in_fight(tick);
  if (tick.serving < tick.min && !held_up && !is_contended(tick) &&
      !tick.observation.pause.no_growth) {
    return Verdict{tick.min, Reason::BelowMinimum};
  }
  return {};
}

Spoken above_maximum(const Tick& tick) {
  if (tick.serving > tick.max && !tick.fighting && !is_contended(tick) &&
      !tick.observation.pause.no_shrinking) {
    return Verdict{tick.max, Reason::AboveMaximum};
  }
  return {};
}

// --------------------------------------------------------------- 4. Contested

Spoken grow(const Tick& tick);  // rule 6

// With an HPA, hold. With a writer that puts the count back, never shrink, and grow once a minute.
Spoken contested(const Tick& tick) {
  if (tick.policy.dry_run) {
    return {};
  }
  if (is_contended(tick)) {
    return Verdict{tick.serving, Reason::Contested};
  }
  if (!tick.fighting) {
    return {};
  }
  const Spoken growth = grow(tick);
  return growth && may_write_in_fight(tick) ? growth : Verdict{tick.serving, Reason::Contested};
}

// -------------------------------------------------------- 5. NoData, Fallback

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

// ---------------------------------------------------- 6. Grow, ScaleUpLimited

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

// -------------------------------------------------------------------- 7. Hold

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

// ------------------------------------------------ 8. Shrink, ScaleDownLimited

Spoken shrink(const Tick& tick) {
  const int now = std::max(tick.shrink_to, tick.serving - shrink_step(tick));
  return Verdict{now, now > tick.shrink_to ? Reason::ScaleDownLimited : Reason::Shrink};
}

// --------------------------------------------------------------------- One tick

struct Rule {
  Reason name;
  Spoken (*speak)(const Tick&);
};

// Hold stands for all of kHolds; it is named by the one that everything settles in.
constexpr std::array kRules{
    Rule{Reason::Paused, paused},
    Rule{Reason::ScaledToZero, scaled_to_zero},
    Rule{Reason::BelowMinimum, below_minimum},
    Rule{Reason::AboveMaximum, above_maximum},
    Rule{Reason::Contested, contested},
    Rule{Reason::NoData, no_data},
    Rule{Reason::Grow, grow},
    Rule{Reason::Steady, hold},
    Rule{Reason::Shrink, shrink},
};

Verdict first_that_speaks(const Tick& tick) {
  for (const Rule& rule : kRules) {
    if (const Spoken spoken = rule.speak(tick)) {
      return *spoken;
    }
  }
  return {tick.serving, Reason::Steady};
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

RuleVerdict view_of(Reason rule, const Spoken& spoken, const Tick& tick) {
  const Verdict verdict = spoken.value_or(Verdict{tick.serving, rule});
  return {rule, spoken.has_value(), verdict.reason, verdict.replicas};
}

void walk_holds(const Tick& tick, std::vector<RuleVerdict>& walked) {
  const Reason guard = tick.observation.growth_veto.value_or(Reason::GuardHitRatio);
  walked.push_back({guard, guard_vetoes(tick), guard, tick.serving});
  for (const Hold& one : kHolds) {
    walked.push_back({one.reason, one.applies(tick), one.reason, tick.serving});
  }
}

}  // namespace

std::vector<RuleVerdict> walk_rules(const Policy& policy,
                                    const Observation& observation,
                                    const History& history,
                                    WallTime now) {
  const Tick tick = begin_tick(policy, observation, history, now);
  std::vector<RuleVerdict> walked;
  for (const Rule& rule : kRules) {
    if (rule.speak == hold) {
      walk_holds(tick, walked);
    } else {
      walked.push_back(view_of(rule.name, rule.speak(tick), tick));
    }
  }
  return walked;
}

Decision decide(const Policy& policy,
                const Observation& observation,
                const History& history,
                WallTime now) {
  Tick tick = begin_tick(policy, observation, history, now);
  return conclude(tick, first_that_speaks(tick));
}

}  // namespace scaledcache::core
