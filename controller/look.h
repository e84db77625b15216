// Everything that one look at a ScaledCache brought together: what was gathered, what was decided.
// Plain values, handed from the gathering side to those who report and act.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "controller/fleet_warmth.h"
#include "controller/target.h"
#include "core/decision.h"
#include "core/guards.h"
#include "core/history.h"
#include "core/observation.h"
#include "core/pod_traffic.h"
#include "core/policy.h"
#include "k8s/scaled_cache.h"

namespace scaledcache::controller {

// What was gathered.
struct Gathered {
  Target target;
  core::Policy policy;
  core::Observation observation;
  std::optional<core::FleetReading> fleet;  // where a guard is set or a dip is watched
  std::vector<core::PodTraffic> traffic;    // per pod; only where pods are drained
  std::string rival;                        // who else scales the target; "" where nobody does
  std::vector<std::string> signal_errors;   // per signal: why its query failed, "" when it did not
  std::string ready_reason;  // why Ready is False, where what the resource refers to is the cause
  std::optional<FleetWarmth> warmth;  // where pods are gated
};

struct Look {
  const k8s::ScaledCache& cache;
  const Gathered& gathered;
  const core::Decision& decision;
  std::string sentence;  // the decision in words
  WallTime now;
};

}  // namespace scaledcache::controller
