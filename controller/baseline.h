// The pods of a ScaledCache's baseline: not of its target, but carrying part of the same traffic.
#pragma once

#include <vector>

#include "base/result.h"
#include "controller/target.h"
#include "controller/watches.h"
#include "core/observation.h"
#include "k8s/pod.h"
#include "k8s/scaled_cache.h"

namespace scaledcache::controller {

// None without a baseline. Pods that belong to the target as well are the target's alone.
// Unavailable until the pods were listed: until then, their absence means nothing.
[[nodiscard]] Result<std::vector<k8s::Pod>> find_baseline_pods(const k8s::ScaledCache& cache,
                                                               const Target& target,
                                                               ClusterView& cluster);

// Pods that serve now.
[[nodiscard]] int count_ready(const std::vector<k8s::Pod>& pods);

// The facts of baseline pods as they go beside those of the target.
void add_baseline(std::vector<core::PodFacts>& pods, std::vector<core::PodFacts> baseline);

}  // namespace scaledcache::controller
