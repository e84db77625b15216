#include "core/holds.h"

#include <algorithm>
#include <chrono>

#include "core/constants.h"
#include "core/moves.h"

namespace scaledcache::core {
namespace {

bool any_has(const Tick& tick, Health health) {
  return std::any_of(tick.signals.begin(), tick.signals.end(),
                     [&](const SignalVerdict& signal) { return signal.health == health; });
}

}  // namespace

bool guard_vetoes(const Tick& tick) {
  return wanted(tick) > tick.serving && vetoed_by_guard(tick);
}

bool growth_is_cooling_down(const Tick& tick) {
  return wanted(tick) > tick.serving && growth_cools_down(tick);
}

bool growth_is_paused(const Tick& tick) {
  return tick.observation.pause.no_growth && wanted(tick) > tick.serving;
}

bool at_maximum(const Tick& tick) {
  return tick.serving >= tick.max && tick.unclamped > tick.max;
}

bool data_is_partial(const Tick& tick) {
  return any_has(tick, Health::Partial);
}

bool data_is_suspect(const Tick& tick) {
  return any_has(tick, Health::Suspect);
}

bool one_signal_unknown(const Tick& tick) {
  return !std::all_of(tick.signals.begin(), tick.signals.end(),
                      [](const SignalVerdict& signal) { return is_usable(signal.health); });
}

bool too_little_fresh_data(const Tick& tick) {
  const WallTime since = tick.now - tick.policy.long_window;
  return std::any_of(tick.next.signals.begin(), tick.next.signals.end(),
                     [&](const SignalHistory& signal) {
                       return signal.fresh.share(since, tick.now) < kFreshShare;
                     });
}

bool steady(const Tick& tick) {
  return tick.serving > 0 && tick.unclamped >= tick.serving;
}

bool at_minimum(const Tick& tick) {
  return tick.serving <= tick.min && tick.wish <= tick.serving;
}

bool drains(const Tick& tick) {
  return tick.observation.draining > 0;
}

bool rollout_in_progress(const Tick& tick) {
  return tick.next.rollout_since &&
         tick.now - *tick.next.rollout_since < std::max(tick.policy.long_window, kRolloutHold);
}

// A pod that is still on its way shows that the lead is at least its age.
bool warming(const Tick& tick) {
  const auto& since = tick.observation.warming_since;
  return std::any_of(since.begin(), since.end(), [&](WallTime ordered) {
    const Milliseconds age = tick.now - ordered;
    const Milliseconds lead = std::min(kLongestLead, std::max(tick.next.lead, age));
    return age < std::max(tick.policy.long_window,
                          std::chrono::round<Milliseconds>(kWarmingLeads * lead));
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

}  // namespace scaledcache::core
