// The textbook formulas of the HorizontalPodAutoscaler and of KEDA in front of one, on the same
// load, for comparison.
#pragma once

#include "sim/run.h"

namespace scaledcache::sim {

struct TextbookRule {
  double target_share = 1;   // of requestsPerReplica × utilisation
  std::int64_t window = 30;  // seconds that the rate is averaged over
};

// Every 15 s: ceil(S · ratio) outside a tolerance of 10 %; at most double or four more per 15 s;
// down to the highest recommendation of the last 5 min. It sees the exact total of the first
// signal.
[[nodiscard]] Run run_textbook(const Scenario& scenario, const TextbookRule& rule);

[[nodiscard]] TextbookRule hpa_rule();

// KEDA's own example: rate[2m] behind an HPA.
[[nodiscard]] TextbookRule keda_rule();

// The HPA at the whole per cent of its target, from 50 to 100, that costs nearest to `cost`
// replica-hours.
[[nodiscard]] TextbookRule hpa_rule_at_cost(const Scenario& scenario, double cost);

}  // namespace scaledcache::sim
