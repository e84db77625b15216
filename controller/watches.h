// What the API server has shown us: the ScaledCaches; for each namespace that has one, the
// workloads and pods of it; and, wherever they are, the pods with our readiness gate. Nothing else
// of the cluster is kept.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "controller/cluster_view.h"
#include "controller/feed.h"
#include "controller/watched_namespace.h"
#include "k8s/hpa.h"
#include "k8s/pod.h"
#include "k8s/scaled_cache.h"
#include "k8s/store.h"
#include "k8s/workload.h"

namespace scaledcache::controller {

// Called on a watch thread, with the key of an object.
struct WatchCallbacks {
  // A ScaledCache came, went or was edited, or its target came or went; not for changes of status.
  std::function<void(const std::string& key)> on_due;
  // A pod with our gate came, went or changed, or a ScaledCache of its namespace did.
  std::function<void(const std::string& key)> on_pod;
};

// The watches of a running operator: one thread for each kind and namespace. Thread safe.
class Watches final : public ClusterView, public GatedPods {
 public:
  Watches(FeedParts parts, const std::vector<std::string>& namespaces, WatchCallbacks callbacks);
  ~Watches() override;

  [[nodiscard]] std::shared_ptr<const k8s::ScaledCache> find_cache(
      const std::string& key) const override;
  [[nodiscard]] std::vector<std::shared_ptr<const k8s::ScaledCache>> caches_in(
      const std::string& name_space) const override;
  [[nodiscard]] std::shared_ptr<const NamespaceView> view(const std::string& name_space) override;
  [[nodiscard]] std::shared_ptr<const k8s::Store<k8s::Pod>> baseline_pods(
      const std::string& name_space, const std::string& selector) override;
  // A namespace with a closed gate that no label shows is watched on until the gate is open.
  void drop_unused_views() override;
  [[nodiscard]] std::shared_ptr<const k8s::Pod> find_gated_pod(
      const std::string& key) const override;
  [[nodiscard]] bool caches_synced(const std::string& name_space) const override;

  // Keys of all pods with our gate, wherever they are.
  [[nodiscard]] std::set<std::string> gated_pods() const;

  // Keys of all ScaledCaches.
  [[nodiscard]] std::set<std::string> cache_keys() const;

  // As view(), but starts nothing: nullptr where nobody has asked for the namespace.
  [[nodiscard]] std::shared_ptr<const NamespaceView> known_view(
      const std::string& name_space) const;

  // The watches of ScaledCaches alone: without them the operator knows nothing.
  [[nodiscard]] std::vector<WatchReport> cache_reports() const;

  // The watches that run now, for health and metrics.
  [[nodiscard]] std::vector<WatchReport> reports() const;

  // For connections made from now on.
  void update_tls(const http::ClientTlsOptions& tls);

 private:
  void on_cache_change(const k8s::Change<k8s::ScaledCache>& change);
  void on_workload_change(const k8s::Change<k8s::Workload>& change) const;
  void on_autoscaler_change(const k8s::Change<k8s::Hpa>& change) const;
  void on_pod_change(const k8s::Change<k8s::Pod>& change) const;
  [[nodiscard]] NamespaceCallbacks namespace_callbacks() const;
  [[nodiscard]] std::set<std::string> baselines_in(const std::string& name_space) const;
  void visit_gated_pods(const std::string& name_space,
                        const std::function<void(const k8s::Store<k8s::Pod>& store)>& visit) const;
  [[nodiscard]] std::set<std::string> gated_keys(const std::string& name_space) const;
  [[nodiscard]] std::set<std::string> namespaces_in_use() const;
  void visit_feeds(const std::function<void(Feed& feed)>& visit) const EXCLUDES(mutex_);

  const FeedParts parts_;
  const WatchCallbacks callbacks_;
  const std::vector<std::string> scopes_;  // namespaces; "": all of them
  std::vector<std::unique_ptr<k8s::Store<k8s::ScaledCache>>> cache_stores_;
  std::vector<std::unique_ptr<k8s::Store<k8s::Pod>>> gated_stores_;  // by the label
  mutable Mutex mutex_;
  std::map<std::string, std::shared_ptr<WatchedNamespace>> watched_ GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Feed>> gated_feeds_;
  std::vector<std::unique_ptr<Feed>> cache_feeds_;  // last: its threads use all of the above
};

}  // namespace scaledcache::controller
