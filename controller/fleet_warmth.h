// How warm a fleet is: what the gate knows, put together for the decision and for the status. Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "controller/gate_book.h"
#include "core/warmth.h"
#include "k8s/condition.h"
#include "k8s/pod.h"
#include "k8s/pod_status.h"
#include "k8s/scaled_cache.h"

namespace scaledcache::controller {

struct FleetWarmth {
  int warm = 0;                             // pods that serve and are proven warm
  std::set<std::string> proven;             // UIDs of those
  std::map<core::WarmthState, int> states;  // of the living pods
  std::map<std::string, WallTime>
      cold_since;                    // by UID: those that are being filled, or wait for it
  std::vector<k8s::PodStatus> pods;  // worst first
  k8s::ConditionValue condition;     // Warm
};

// The living pods of a ScaledCache that gates; `records` are what the gate knows of them, by UID.
[[nodiscard]] FleetWarmth survey_fleet(const k8s::ScaledCache& cache,
                                       const std::vector<k8s::Pod>& pods,
                                       const std::map<std::string, GateRecord>& records,
                                       WallTime now);

}  // namespace scaledcache::controller
