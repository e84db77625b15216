// Gathers what judging one pod's warmth needs to know of the cluster: who manages the pod, and the
// fleet that it belongs to. Judges nothing.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "controller/target.h"
#include "controller/watches.h"
#include "k8s/pod.h"
#include "k8s/scaled_cache.h"

namespace scaledcache::controller {

struct GateScene {
  std::shared_ptr<const k8s::ScaledCache> cache;  // nullptr: no ScaledCache owns the pod
  std::vector<k8s::Pod> fleet;                    // the pods of its target, this one included

  // UIDs of the pods that serve, without `uid`.
  [[nodiscard]] std::vector<std::string> serving_without(const std::string& uid) const;
};

// Whether the pod takes traffic: Ready, and no gate of ours that the kubelet has yet to heed.
[[nodiscard]] bool is_serving(const k8s::Pod& pod);

// Whether the pod was chosen to go: its gate is for whoever drains it.
[[nodiscard]] bool is_draining(const k8s::Pod& pod, const k8s::ScaledCache* cache);

// Thread safe.
class SceneFinder {
 public:
  struct Parts {
    ClusterView& cluster;
    const GatedPods& pods;
    TargetFinder& targets;
    Clock& clock;
  };

  explicit SceneFinder(Parts parts) : parts_(parts) {}

  // Unavailable while the watches do not tell yet; other errors are those of finding a target.
  [[nodiscard]] Result<GateScene> find(const k8s::Pod& pod, const std::stop_token& stop);

 private:
  const Parts parts_;
};

// How long a new pod's owner may go unseen before it counts as none of ours.
inline constexpr Milliseconds kOwnerPatience{30'000};

}  // namespace scaledcache::controller
