// What each pod serves, from the newest two samples of its series: coarse, and of one pod alone.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "core/observation.h"
#include "core/rates.h"
#include "core/samples.h"

namespace scaledcache::core {

struct PodTraffic {
  std::string pod;
  double rate = 0;  // requests per second
  WallTime since;   // when the requests that it tells of began to be counted, by our clock

  bool operator==(const PodTraffic&) const = default;
};

// One entry for each pod that has a series with two values, in the order of `pods`. Empty where
// samples cannot be mapped to pods. `question` as for read_counter.
[[nodiscard]] std::vector<PodTraffic> pod_traffic(const Question& question,
                                                  std::span<const Series> series,
                                                  std::span<const PodFacts> pods);

}  // namespace scaledcache::core
