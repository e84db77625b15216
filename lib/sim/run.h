// A scenario played through: the real decision code in a closed loop with a modelled fleet.
#pragma once

#include <string>
#include <vector>

#include "core/conditions.h"
#include "core/decision.h"
#include "sim/scenario.h"

namespace scaledcache::sim {

// One second of the world, after what was decided in it.
struct Moment {
  double offered = 0;   // requests per second, by the first signal
  double baseline = 0;  // of it, what baseline pods carry
  int replicas = 0;     // spec.replicas
  int ready = 0;
  int demand = 0;  // clamp(ceil(rate / q), max(1, min), max) of the largest signal
};

// One tick.
struct Step {
  std::int64_t second = 0;
  int from = 0;
  int to = 0;
  core::Reason reason = core::Reason::Steady;
  double short_rate = 0;  // of the first signal
  double level = 0;
  double peak = 0;
  int wish = 0;
  int shrink_to = 0;
  std::vector<core::Condition> conditions;
  std::string sentence;  // only where the count or the reason changed
};

struct Run {
  std::vector<Moment> moments;  // by second, from 0 to the end
  std::vector<Step> steps;      // by time
};

[[nodiscard]] Run run(const Scenario& scenario);

// The count that the offered rates need right now, by the policy.
[[nodiscard]] int demand_for(const core::Policy& policy,
                             const std::vector<double>& rates,
                             int least);

}  // namespace scaledcache::sim
