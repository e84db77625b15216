#include "core/tick.h"

#include <algorithm>
#include <cmath>

#include "core/constants.h"
#include "core/signals.h"
#include "core/writes.h"

namespace scaledcache::core {
namespace {

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
  for (const Milliseconds took : tick.observation.warmed) {
    const auto distance = static_cast<double>((took - tick.next.lead).count());
    tick.next.lead += Milliseconds{std::llround(kLeadWeight * distance)};
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

// Our clock may have been set back: what lies ahead counts as now, or a cooldown would last for
// ever.
void forget_the_future(History& history, WallTime now) {
  for (std::optional<WallTime>* time :
       {&history.first_tick, &history.last_tick, &history.last_usable, &history.last_up,
        &history.last_down, &history.last_fight_write, &history.rollout_since}) {
    if (*time && **time > now) {
      *time = now;
    }
  }
}

Tick first_look(const Policy& policy,
                const Observation& observation,
                const History& history,
                WallTime now) {
  Tick tick{policy, observation, now, history};
  tick.elapsed = policy.poll_interval;
  if (history.last_tick) {
    tick.elapsed = std::clamp(now - *history.last_tick, Milliseconds{0}, 2 * policy.poll_interval);
  }
  tick.next.first_tick = history.first_tick.value_or(now);
  forget_the_future(tick.next, now);
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
  static const SignalReading unread;
  std::vector<SignalHistory> known = std::move(tick.next.signals);
  tick.next.signals.clear();
  tick.shrink_to = tick.min;
  for (std::size_t i = 0; i < tick.policy.signals.size(); ++i) {
    const SignalPolicy& signal = tick.policy.signals[i];
    const auto& readings = tick.observation.signals;
    SignalHistory history = take_signal(known, signal.name);
    tick.signals.push_back(
        judge_signal(tick, signal, i < readings.size() ? readings[i] : unread, history));
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

}  // namespace

bool Tick::any_usable() const {
  return std::any_of(signals.begin(), signals.end(),
                     [](const SignalVerdict& signal) { return is_usable(signal.health); });
}

bool Tick::all_fresh() const {
  return std::all_of(signals.begin(), signals.end(),
                     [](const SignalVerdict& signal) { return signal.health == Health::Fresh; });
}

Tick begin_tick(const Policy& policy,
                const Observation& observation,
                const History& history,
                WallTime now) {
  Tick tick = first_look(policy, observation, history, now);
  judge_signals(tick);
  note_surplus(tick);
  return tick;
}

}  // namespace scaledcache::core
