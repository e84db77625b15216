#include "k8s/kept_status.h"

#include <utility>

#include "k8s/scale.h"

namespace scaledcache::k8s {
namespace {

// What stands for a writer whose name was not seen.
constexpr const char* kOtherManager = "unknown";

core::KeptSignal kept_signal(const SignalStatus& signal) {
  core::KeptSignal kept;
  kept.name = signal.name;
  kept.peak = signal.peak;
  kept.noise = signal.noise;
  kept.risk = signal.risk;
  kept.suspect_since = signal.suspect_since;
  kept.last_usable = signal.last_usable_time;
  return kept;
}

// Keeps the writer's own name where the change is the one that the status tells already.
std::string writer_of(const core::Change& change, const std::optional<LastChange>& known) {
  if (change.ours) {
    return kFieldManager;
  }
  const bool same =
      known && known->time == change.time && known->to == change.to && known->by != kFieldManager;
  return same ? known->by : kOtherManager;
}

}  // namespace

bool has_memory(const Status& status) {
  return status.last_decision.has_value();
}

core::KeptStatus kept_from_status(const Status& status) {
  core::KeptStatus kept;
  kept.desired_replicas = status.desired_replicas;
  kept.last_up = status.last_scale_up_time;
  kept.last_down = status.last_scale_down_time;
  if (const auto& change = status.last_change) {
    kept.last_change =
        core::Change{change->time, change->from, change->to, change->by == kFieldManager};
  }
  kept.idle = status.idle;
  kept.peak_time = status.peak_time;
  kept.lead = status.lead.value_or(kept.lead);
  kept.paused_replicas = status.paused_replicas;
  kept.foreign_writes = status.foreign_write_times;
  kept.outage_hold_until = status.outage_hold_until;
  for (const SignalStatus& signal : status.signals) {
    kept.signals.push_back(kept_signal(signal));
  }
  return kept;
}

void put_kept(const core::KeptStatus& kept, Status& status) {
  status.desired_replicas = kept.desired_replicas;
  status.last_scale_up_time = kept.last_up;
  status.last_scale_down_time = kept.last_down;
  if (const auto& change = kept.last_change) {
    std::string by = writer_of(*change, status.last_change);
    status.last_change = LastChange{change->time, change->from, change->to, std::move(by)};
  } else {
    status.last_change.reset();
  }
  status.idle = kept.idle;
  status.peak_time = kept.peak_time;
  status.lead = kept.lead;
  status.paused_replicas = kept.paused_replicas;
  status.foreign_write_times = kept.foreign_writes;
  status.outage_hold_until = kept.outage_hold_until;
}

}  // namespace scaledcache::k8s
