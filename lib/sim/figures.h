// Figures of a run: how far the fleet was from what the load needed, how often it changed, what it
// cost.
#pragma once

#include "sim/run.h"

namespace scaledcache::sim {

struct Figures {
  double under = 0;     // θ_U: mean relative lack of ready replicas against the demand curve, %
  double over = 0;      // θ_O: mean relative excess, %
  double unserved = 0;  // share of requests above what the ready replicas carry, %
  int changes = 0;
  int reversals = 0;  // growth within 10 min of a shrink
  double cost = 0;    // replica-hours
  double hours = 0;
};

// `carries`: requests per second of one ready replica. Seconds `from` to `to`, both included.
[[nodiscard]] Figures figures_of(const Run& run,
                                 double carries,
                                 std::int64_t from,
                                 std::int64_t to);

// What one replica of the scenario carries.
[[nodiscard]] double carries(const Scenario& scenario);

}  // namespace scaledcache::sim
