// What a ScaledCache scales, as the stores show it: the count, who wrote it, its pods, and whether
// a rollout is under way.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "controller/watches.h"
#include "core/observation.h"
#include "k8s/discovery.h"
#include "k8s/kube_client.h"
#include "k8s/pod.h"
#include "k8s/scaled_cache.h"
#include "k8s/workload.h"

namespace scaledcache::controller {

struct Target {
  k8s::ObjectRef reference;  // with UID
  k8s::ResourceType type;    // where its scale is
  std::string resource_version;
  int replicas = 0;  // spec.replicas
  std::string selector;
  bool ordered_ready = false;  // a StatefulSet whose pods come and go one by one
  std::optional<k8s::ReplicasWriter> replicas_writer;
  std::optional<core::Rollout> rollout;
  std::vector<k8s::Pod> pods;  // by owner; Terminating and finished ones too

  [[nodiscard]] int ready_pods() const;
};

// Deployments and StatefulSets come from the watches; any other kind is found by discovery and read
// through its scale subresource at each call. Thread safe.
class TargetFinder {
 public:
  TargetFinder(k8s::KubeClient& client, k8s::Discovery& discovery)
      : client_(client), discovery_(discovery) {}

  // NotFound: no such object. Invalid: its kind has no scale subresource, or is not served.
  // Otherwise the errors of KubeClient. Unavailable while the watches have not synced yet.
  [[nodiscard]] Result<Target> find(const k8s::ScaledCache& cache,
                                    const NamespaceView& view,
                                    const std::stop_token& stop);

 private:
  Result<Target> find_by_scale(const k8s::ScaledCache& cache,
                               const NamespaceView& view,
                               const std::stop_token& stop);

  k8s::KubeClient& client_;
  k8s::Discovery& discovery_;
};

}  // namespace scaledcache::controller
