#include "core/history.h"

#include <algorithm>

namespace scaledcache::core {
namespace {

std::optional<WallTime> not_later(std::optional<WallTime> time, WallTime now) {
  return time ? std::optional(std::min(*time, now)) : std::nullopt;
}

SignalHistory restore_signal(const KeptSignal& kept, const KeptStatus& status, WallTime now) {
  SignalHistory signal;
  signal.name = kept.name;
  signal.noise = kept.noise;
  signal.risk = kept.risk;
  signal.suspect_since = not_later(kept.suspect_since, now);
  signal.last_usable = not_later(kept.last_usable, now);
  if (kept.peak) {
    signal.peak.set_span(std::chrono::hours{24});  // until the policy is known
    signal.peak.add(not_later(status.peak_time, now).value_or(now), *kept.peak);
    signal.has_served = *kept.peak > 1;
    signal.before_suspect = *kept.peak;
  }
  return signal;
}

}  // namespace

KeptStatus keep(const History& history) {
  KeptStatus status;
  status.desired_replicas = history.shadow ? history.shadow : history.replicas;
  status.last_up = history.last_up;
  status.last_down = history.last_down;
  status.last_change = history.last_change;
  status.idle = history.idle;
  status.lead = history.lead;
  status.paused_replicas = history.parked;
  status.foreign_writes = history.undone;
  status.outage_hold_until = history.outage_hold_until;
  for (const SignalHistory& signal : history.signals) {
    KeptSignal kept{signal.name,       {}, signal.noise, signal.risk, signal.suspect_since,
                    signal.last_usable};
    if (signal.last_peak) {
      kept.peak = signal.last_peak->peak;
      status.peak_time =
          std::max(status.peak_time.value_or(signal.last_peak->newest), signal.last_peak->newest);
    }
    status.signals.push_back(std::move(kept));
  }
  return status;
}

History restore(const KeptStatus& status, WallTime now) {
  History history;
  history.replicas = status.desired_replicas;
  history.shadow = status.desired_replicas;
  history.first_tick = now;
  history.last_up = not_later(status.last_up, now);
  history.last_down = not_later(status.last_down, now);
  history.last_change = status.last_change;
  if (status.last_change && status.last_change->ours) {
    history.last_own_change = status.last_change;
  }
  history.idle = status.idle;
  history.lead = status.lead;
  history.parked = status.paused_replicas;
  history.outage_hold_until = status.outage_hold_until;
  for (const WallTime time : status.foreign_writes) {
    history.undone.push_back(std::min(time, now));
  }
  for (const KeptSignal& kept : status.signals) {
    history.signals.push_back(restore_signal(kept, status, now));
    history.last_usable = std::max(history.last_usable, history.signals.back().last_usable);
  }
  return history;
}

History first_history(WallTime now) {
  History history;
  history.first_tick = now;
  history.last_up = now;
  history.last_up_is_start = true;
  return history;
}

const SignalHistory* find_signal(const History& history, std::string_view name) {
  const auto found = std::find_if(history.signals.begin(), history.signals.end(),
                                  [&](const SignalHistory& signal) { return signal.name == name; });
  return found == history.signals.end() ? nullptr : &*found;
}

}  // namespace scaledcache::core
