#include "controller/baseline.h"

#include <algorithm>
#include <utility>

namespace scaledcache::controller {

Result<std::vector<k8s::Pod>> find_baseline_pods(const k8s::ScaledCache& cache,
                                                 const Target& target,
                                                 ClusterView& cluster) {
  std::vector<k8s::Pod> pods;
  if (!cache.spec.baseline) {
    return pods;
  }
  const auto store = cluster.baseline_pods(cache.meta.name_space, cache.spec.baseline->selector);
  if (!store || !store->synced()) {
    return Error{ErrorCode::Unavailable, "the baseline's pods of namespace " +
                                             cache.meta.name_space + " have not been listed yet"};
  }
  for (const auto& entry : store->all()) {
    const bool of_target =
        std::any_of(target.pods.begin(), target.pods.end(),
                    [&](const k8s::Pod& pod) { return pod.uid == entry.envelope.uid; });
    if (entry.object && !of_target) {
      pods.push_back(*entry.object);
    }
  }
  return pods;
}

int count_ready(const std::vector<k8s::Pod>& pods) {
  return static_cast<int>(std::count_if(
      pods.begin(), pods.end(), [](const k8s::Pod& pod) { return pod.alive() && pod.ready; }));
}

void add_baseline(std::vector<core::PodFacts>& pods, std::vector<core::PodFacts> baseline) {
  for (core::PodFacts& facts : baseline) {
    facts.belongs = false;
    facts.baseline = true;
    pods.push_back(std::move(facts));
  }
}

}  // namespace scaledcache::controller
