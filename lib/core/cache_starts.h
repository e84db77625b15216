// Which cache processes started anew inside the window, told by counters that fell: a cache that
// restarts inside its container shows nothing else of it to the cluster.
#pragma once

#include <map>
#include <span>
#include <string>

#include "base/clock.h"
#include "core/observation.h"
#include "core/rates.h"
#include "core/samples.h"

namespace scaledcache::core {

// Per pod, by name: a time by our clock before which its process cannot have started, the newest
// where there are several. Pods whose counters only rose are left out. A counter counts as fallen
// when less than half of it is left: two copies of one series may differ a little. `question` as
// for read_counter.
[[nodiscard]] std::map<std::string, WallTime> cache_starts(const Question& question,
                                                           std::span<const Series> series,
                                                           std::span<const PodFacts> pods);

}  // namespace scaledcache::core
