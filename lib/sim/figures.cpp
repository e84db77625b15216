#include "sim/figures.h"

#include <algorithm>

namespace scaledcache::sim {

Figures figures_of(const Run& run, double carries, std::int64_t from, std::int64_t to) {
  constexpr std::int64_t kReversal = 600;
  Figures figures;
  double offered = 0;
  double lost = 0;
  double seconds = 0;
  const auto last = std::min(to, static_cast<std::int64_t>(run.moments.size()) - 1);
  for (std::int64_t second = from; second <= last; ++second) {
    const Moment& moment = run.moments[static_cast<std::size_t>(second)];
    const double lack = static_cast<double>(moment.demand - moment.ready) / moment.demand;
    figures.under += std::max(0.0, lack);
    figures.over += std::max(0.0, -lack);
    const double net = std::max(0.0, moment.offered - moment.baseline);
    offered += moment.offered;
    lost += std::max(0.0, net - moment.ready * carries);
    figures.cost += moment.replicas / 3600.0;
    ++seconds;
  }
  if (seconds > 0) {
    figures.under *= 100 / seconds;
    figures.over *= 100 / seconds;
    figures.hours = seconds / 3600;
  }
  figures.unserved = offered > 0 ? 100 * lost / offered : 0;
  std::int64_t shrunk = -kReversal - 1;
  for (const Step& step : run.steps) {
    if (step.second < from || step.second > to || step.from == step.to) {
      continue;
    }
    ++figures.changes;
    if (step.to < step.from) {
      shrunk = step.second;
    } else if (step.second - shrunk <= kReversal) {
      ++figures.reversals;
      shrunk = -kReversal - 1;
    }
  }
  return figures;
}

double carries(const Scenario& scenario) {
  return scenario.world.capacity.value_or(scenario.policy.signals.front().requests_per_replica);
}

}  // namespace scaledcache::sim
