// The status of a ScaledCache: what people read, and what a restart needs to go on as if nothing
// had happened.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "k8s/condition.h"
#include "k8s/dip_status.h"
#include "k8s/pod_status.h"
#include "k8s/signal_status.h"

namespace scaledcache::k8s {

struct LastDecision {
  WallTime time{};
  int from = 0;
  int to = 0;
  std::string reason;
  std::string message;

  bool operator==(const LastDecision&) const = default;
};

struct LastChange {
  WallTime time{};
  int from = 0;
  int to = 0;
  std::string by;  // the field manager that wrote the count

  bool operator==(const LastChange&) const = default;
};

struct Status {
  std::int64_t observed_generation = 0;  // the generation that the last decision was made for
  std::optional<int> replicas;           // spec.replicas of the target
  std::optional<int> desired_replicas;
  std::optional<int> ready_replicas;
  std::optional<int> warm_replicas;  // ready, and proven warm where the cache gates
  std::optional<int> warming;        // pods whose cache is being filled, or waits for it
  std::optional<int> draining;       // pods that are taken out of the Service before they go
  std::vector<SignalStatus> signals;
  std::optional<WallTime> measured_time;
  std::optional<LastDecision> last_decision;
  std::optional<WallTime> last_scale_up_time;
  std::optional<WallTime> last_scale_down_time;
  std::optional<LastChange> last_change;
  Milliseconds idle{0};  // surplus × time, for patience
  std::optional<WallTime> peak_time;
  std::optional<Milliseconds> lead;           // patch to warm, moving mean
  std::optional<int> paused_replicas;         // the value of paused-replicas that was carried out
  std::vector<WallTime> foreign_write_times;  // at most 3
  std::optional<WallTime> outage_hold_until;
  std::optional<int> original_replicas;
  std::string selector;
  std::optional<int> drain_goal;    // the count that the drains lead to
  std::vector<DrainIntent> drains;  // at most kMaxPodsInStatus
  std::optional<core::Dip> dip;     // of the newest change of the count, while it is followed
  std::vector<PodStatus> pods;      // worst first, at most kMaxPodsInStatus
  Conditions conditions;

  bool operator==(const Status&) const = default;
};

// Never fails: a field that is absent or broken reads as absent, since it was written by an older
// or newer operator, or by hand.
[[nodiscard]] Status status_from_json(const Json& object);

// The whole status as JSON, absent fields left out. Adds `reason`: Ready's while Ready is False,
// else that of the last decision, so that one printer column tells what is going on.
[[nodiscard]] Json to_json(const Status& status);

}  // namespace scaledcache::k8s
