// Puts back the count that a ScaledCache found at its creation, when it is deleted and wants that
// (restoreReplicasOnDelete). Only then a finalizer is set: without an operator it holds the
// resource.
#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "controller/target.h"
#include "controller/watches.h"
#include "k8s/kube_client.h"
#include "k8s/scaled_cache.h"

namespace scaledcache::controller {

inline constexpr const char* kRestoreFinalizer = "scaledcache.io/restore-replicas";

// Thread safe; one ScaledCache is never in two hands at once.
class Restorer {
 public:
  struct Parts {
    ClusterView& cluster;
    TargetFinder& targets;
    k8s::KubeClient& client;
    Clock& clock;
  };

  explicit Restorer(Parts parts) : parts_(parts) {}

  // Sees to it that the finalizer stands where the resource wants it, with requests only when that
  // is not known yet, and a minute after one that failed.
  [[nodiscard]] Result<void> hold(const k8s::ScaledCache& cache, const std::stop_token& stop);

  // For a resource that is being deleted: writes the count, if it wants that, and takes the
  // finalizer away. A target that is gone, cannot be scaled or is not ours to write holds nothing
  // up; any other failure is to be tried again.
  [[nodiscard]] Result<void> release(const k8s::ScaledCache& cache, const std::stop_token& stop);

 private:
  struct Known {
    std::optional<bool> held;  // nothing: not asked yet, or in vain
    std::optional<SteadyTime> failed;
  };

  Result<void> set_finalizer(const k8s::ScaledCache& cache,
                             bool wanted,
                             const std::stop_token& stop);
  Result<void> write_count(const k8s::ScaledCache& cache, int count, const std::stop_token& stop);
  void note(const std::string& uid, const Known& known) EXCLUDES(mutex_);

  const Parts parts_;
  Mutex mutex_;
  std::map<std::string, Known> known_ GUARDED_BY(mutex_);  // by UID
};

}  // namespace scaledcache::controller
