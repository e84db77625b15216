// What the walks read of the cluster: the ScaledCaches, the workloads and pods of their namespaces,
// and the pods behind our gate. Interfaces, so that tests fill the stores by hand.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "k8s/hpa.h"
#include "k8s/pod.h"
#include "k8s/scaled_cache.h"
#include "k8s/store.h"
#include "k8s/workload.h"

namespace scaledcache::controller {

// The workloads and pods of one namespace. Readers may hold it while the watches go on.
class NamespaceView {
 public:
  NamespaceView() = default;
  NamespaceView(const NamespaceView&) = delete;
  NamespaceView& operator=(const NamespaceView&) = delete;

  k8s::Store<k8s::Workload> deployments;
  k8s::Store<k8s::Workload> stateful_sets;
  k8s::Store<k8s::Workload> replica_sets;
  k8s::Store<k8s::Pod> pods;
  k8s::Store<k8s::Hpa> autoscalers;
  std::atomic<bool> autoscalers_hidden = false;  // not ours to read: taken for none

  // True once each kind was listed whole: until then, absence means nothing.
  [[nodiscard]] bool synced() const {
    return deployments.synced() && stateful_sets.synced() && replica_sets.synced() &&
           pods.synced() && (autoscalers.synced() || autoscalers_hidden);
  }
};

// Where the reconciler finds ScaledCaches and what they scale.
class ClusterView {
 public:
  ClusterView() = default;
  ClusterView(const ClusterView&) = delete;
  ClusterView& operator=(const ClusterView&) = delete;
  virtual ~ClusterView() = default;

  // The resource, or nothing when it does not exist.
  [[nodiscard]] virtual std::shared_ptr<const k8s::ScaledCache> find_cache(
      const std::string& key) const = 0;

  // All ScaledCaches of a namespace.
  [[nodiscard]] virtual std::vector<std::shared_ptr<const k8s::ScaledCache>> caches_in(
      const std::string& name_space) const = 0;

  // Starts to watch the namespace when nobody has asked for it yet.
  [[nodiscard]] virtual std::shared_ptr<const NamespaceView> view(
      const std::string& name_space) = 0;

  // The pods of the namespace that the selector matches, watched from the first call on for as long
  // as a ScaledCache has them for its baseline; nullptr where they cannot be watched.
  [[nodiscard]] virtual std::shared_ptr<const k8s::Store<k8s::Pod>> baseline_pods(
      const std::string& /*name_space*/, const std::string& /*selector*/) {
    return nullptr;
  }

  // Stops watching namespaces without a ScaledCache.
  virtual void drop_unused_views() = 0;
};

// Where the warm gate finds the pods that it answers for.
class GatedPods {
 public:
  GatedPods() = default;
  GatedPods(const GatedPods&) = delete;
  GatedPods& operator=(const GatedPods&) = delete;
  virtual ~GatedPods() = default;

  // The pod with our gate, in its newest state; nothing when there is none of that key.
  [[nodiscard]] virtual std::shared_ptr<const k8s::Pod> find_gated_pod(
      const std::string& key) const = 0;

  // True once every ScaledCache of the namespace was listed: until then, the absence of one means
  // nothing.
  [[nodiscard]] virtual bool caches_synced(const std::string& name_space) const = 0;
};

}  // namespace scaledcache::controller
