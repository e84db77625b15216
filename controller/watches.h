// What the API server has shown us: the ScaledCaches, and, for each namespace that has one, the
// workloads and pods of it. Nothing else of the cluster is kept.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "controller/feed.h"
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

  // True once each kind was listed whole: until then, absence means nothing.
  [[nodiscard]] bool synced() const {
    return deployments.synced() && stateful_sets.synced() && replica_sets.synced() && pods.synced();
  }
};

// Where the reconciler finds ScaledCaches and what they scale. An interface, so that tests fill the
// stores by hand.
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

  // Stops watching namespaces without a ScaledCache.
  virtual void drop_unused_views() = 0;
};

// The watches of a running operator: one thread for each kind and namespace. Thread safe.
class Watches final : public ClusterView {
 public:
  // `on_due(key)` is called on a watch thread when a ScaledCache came, went or was edited, and when
  // its target came or went; not for changes of status.
  Watches(FeedParts parts,
          const std::vector<std::string>& namespaces,
          std::function<void(const std::string& key)> on_due);
  ~Watches() override;

  [[nodiscard]] std::shared_ptr<const k8s::ScaledCache> find_cache(
      const std::string& key) const override;
  [[nodiscard]] std::vector<std::shared_ptr<const k8s::ScaledCache>> caches_in(
      const std::string& name_space) const override;
  [[nodiscard]] std::shared_ptr<const NamespaceView> view(const std::string& name_space) override;
  void drop_unused_views() override;

  // The watches of ScaledCaches alone: without them the operator knows nothing.
  [[nodiscard]] std::vector<WatchReport> cache_reports() const;

  // The watches that run now, for health and metrics.
  [[nodiscard]] std::vector<WatchReport> reports() const;

  // For connections made from now on.
  void update_tls(const http::ClientTlsOptions& tls);

 private:
  struct WatchedNamespace;

  void on_cache_change(const k8s::Change<k8s::ScaledCache>& change) const;
  void on_workload_change(const k8s::Change<k8s::Workload>& change) const;
  [[nodiscard]] std::set<std::string> namespaces_in_use() const;

  const FeedParts parts_;
  const std::function<void(const std::string&)> on_due_;
  std::vector<std::unique_ptr<k8s::Store<k8s::ScaledCache>>> cache_stores_;
  mutable Mutex mutex_;
  std::map<std::string, std::shared_ptr<WatchedNamespace>> watched_ GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Feed>> cache_feeds_;  // last: its threads use all of the above
};

}  // namespace scaledcache::controller
