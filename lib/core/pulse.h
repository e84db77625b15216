// Whether caches run while their counters of requests stand still, told by their uptime: visitors
// who stay away do not stop it, an exporter that answers from memory does.
#pragma once

#include <span>

#include "core/observation.h"
#include "core/samples.h"

namespace scaledcache::core {

// `series`: the uptime of the pods' caches, oldest sample first. Moving where the newest
// three samples of any series differ, Still where those of some are alike and none differ, Unknown
// where no series tells.
[[nodiscard]] Pulse read_pulse(std::span<const Series> series);

}  // namespace scaledcache::core
