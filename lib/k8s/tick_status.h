// What one tick makes of the status: counts, measured values, the decision with its sentence, the
// conditions, and what a restart needs.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "core/decision.h"
#include "core/observation.h"
#include "core/policy.h"
#include "k8s/status.h"

namespace scaledcache::k8s {

// References must outlive the call only.
struct Tick {
  const core::Policy& policy;
  const core::Observation& observation;
  const core::Decision& decision;
  std::string sentence;         // core::describe
  int replicas = 0;             // spec.replicas of the target after acting
  std::int64_t generation = 0;  // that the policy was read from
  WallTime now{};
};

// `stored` with all that `tick` changes. Sets every condition of kConditionTypes; one that the
// caller knows better (a target that cannot be written) is put over it afterwards. Whether the
// difference is worth a write is for status_write_due.
[[nodiscard]] Status status_after(const Status& stored, const Tick& tick);

}  // namespace scaledcache::k8s
