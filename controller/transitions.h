// Which events a look is worth: only transitions, told by comparing two states of the status. Pure.
#pragma once

#include <vector>

#include "base/clock.h"
#include "k8s/event.h"
#include "k8s/scaled_cache.h"
#include "k8s/status.h"

namespace scaledcache::controller {

struct StatusChange {
  const k8s::Status& before;
  const k8s::Status& after;
  bool scaled = false;  // the target's count was written
};

// In the order in which a person would tell them.
[[nodiscard]] std::vector<k8s::Event> transitions(const k8s::ScaledCache& cache,
                                                  const StatusChange& change,
                                                  WallTime now);

}  // namespace scaledcache::controller
