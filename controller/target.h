// What a ScaledCache scales, as the stores show it: the count, who wrote it, its pods, and whether
// a rollout is under way.
#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "controller/watches.h"
#include "core/observation.h"
#include "k8s/discovery.h"
#include "k8s/kube_client.h"
#include "k8s/pod.h"
#include "k8s/scale.h"
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

// How old what was read through a scale subresource may be where the count does not matter.
inline constexpr Milliseconds kScaleLife{10'000};

// Deployments and StatefulSets come from the watches; any other kind is found by discovery and read
// through its scale subresource. Thread safe.
class TargetFinder {
 public:
  TargetFinder(k8s::KubeClient& client, k8s::Discovery& discovery)
      : client_(client), discovery_(discovery) {}

  // NotFound: no such object. Invalid: its kind has no scale subresource, or is not served.
  // Otherwise the errors of KubeClient. Unavailable while the watches have not synced yet.
  [[nodiscard]] Result<Target> find(const k8s::ScaledCache& cache,
                                    const NamespaceView& view,
                                    const std::stop_token& stop);

  // As find(), for whoever asks for the pods alone: what this call has read through a scale
  // subresource is read again only kScaleLife later, so that a look at each pod costs nothing.
  // `now` is the present.
  [[nodiscard]] Result<Target> find_lately(const k8s::ScaledCache& cache,
                                           const NamespaceView& view,
                                           SteadyTime now,
                                           const std::stop_token& stop) EXCLUDES(mutex_);

 private:
  struct Scaled {
    k8s::ResourceType type;
    k8s::Scale scale;
  };

  struct Known {
    Scaled scaled;
    SteadyTime read;
  };

  Result<Scaled> read_scale(const k8s::ScaledCache& cache, const std::stop_token& stop);

  k8s::KubeClient& client_;
  k8s::Discovery& discovery_;
  Mutex mutex_;
  std::map<std::string, Known> known_ GUARDED_BY(mutex_);  // by target
};

}  // namespace scaledcache::controller
