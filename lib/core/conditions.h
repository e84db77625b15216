// The conditions that follow from a decision alone; those about the target, the backend's address
// or warmth are judged where those are known.
#pragma once

#include <string_view>
#include <vector>

#include "base/clock.h"
#include "core/decision.h"
#include "core/observation.h"
#include "core/policy.h"

namespace scaledcache::core {

enum class Status { False, True, Unknown };

// `type` and `reason` are the names of resource.md and live for ever.
struct Condition {
  std::string_view type;
  Status status = Status::Unknown;
  std::string_view reason = "Pending";

  bool operator==(const Condition&) const = default;
};

// MetricsReady, Active, ScalingLimited, Fallback, Paused, Contested, in this order.
[[nodiscard]] std::vector<Condition> judge_conditions(const Policy& policy,
                                                      const Observation& observation,
                                                      const Decision& decision,
                                                      WallTime now);

}  // namespace scaledcache::core
