// What the pods of a ScaledCache are to be warmed with: its spec, and the list of paths that a
// ConfigMap holds.
#pragma once

#include <stop_token>

#include "base/result.h"
#include "cache/pod_door.h"
#include "cache/warmup.h"
#include "k8s/kube_client.h"
#include "k8s/scaled_cache.h"

namespace scaledcache::controller {

// Thread safe.
class WarmSource {
 public:
  explicit WarmSource(k8s::KubeClient& client) : client_(client) {}

  // Reads the ConfigMap anew each time: lists change, and a fleet is warmed seldom. NotFound where
  // it, or its key, does not exist; Invalid where nothing is left to ask for; else the errors of
  // KubeClient. `cache` is valid.
  [[nodiscard]] Result<cache::WarmupPlan> plan(const k8s::ScaledCache& cache,
                                               const std::stop_token& stop);

 private:
  Result<std::string> read_list(const k8s::ScaledCache& cache, const std::stop_token& stop);

  k8s::KubeClient& client_;
};

// How the pods of this ScaledCache are spoken to.
[[nodiscard]] cache::PodDoor door_of(const k8s::WarmupSpec& spec);

}  // namespace scaledcache::controller
