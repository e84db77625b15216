// A cluster whose stores a test fills by hand.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "controller/watches.h"

namespace scaledcache::controller {

class FilledCluster final : public ClusterView {
 public:
  std::vector<std::shared_ptr<const k8s::ScaledCache>> caches;
  std::shared_ptr<NamespaceView> namespace_view = std::make_shared<NamespaceView>();
  std::map<std::string, std::shared_ptr<k8s::Store<k8s::Pod>>> baselines;  // by selector

  [[nodiscard]] std::shared_ptr<const k8s::ScaledCache> find_cache(
      const std::string& key) const override {
    for (const auto& cache : caches) {
      if (cache->meta.name_space + "/" + cache->meta.name == key) {
        return cache;
      }
    }
    return nullptr;
  }

  [[nodiscard]] std::vector<std::shared_ptr<const k8s::ScaledCache>> caches_in(
      const std::string& /*name_space*/) const override {
    return caches;
  }

  [[nodiscard]] std::shared_ptr<const NamespaceView> view(
      const std::string& /*name_space*/) override {
    return namespace_view;
  }

  [[nodiscard]] std::shared_ptr<const k8s::Store<k8s::Pod>> baseline_pods(
      const std::string& /*name_space*/, const std::string& selector) override {
    const auto found = baselines.find(selector);
    return found == baselines.end() ? nullptr : found->second;
  }

  void drop_unused_views() override {}
};

template <class T>
k8s::Entry<T> entry_of(const std::string& name, const std::string& uid, T object) {
  return {{"blog", name, uid, "1"}, std::make_shared<const T>(std::move(object)), {}};
}

// A sound ScaledCache on Deployment varnish; `spec` is merged into its spec.
inline k8s::ScaledCache cache_of(const std::string& name,
                                 const std::string& created = "2026-01-01T00:00:00Z",
                                 const char* spec = "{}") {
  Json object = Json::parse(R"({
    "apiVersion": "scaledcache.io/v1alpha1", "kind": "ScaledCache",
    "metadata": {"namespace": "blog", "resourceVersion": "5", "generation": 1},
    "spec": {"scaleTargetRef": {"name": "varnish"}, "minReplicas": 2, "maxReplicas": 10,
             "signals": [{"counter": {"metric": "requests_total"}, "requestsPerReplica": 200}]}})");
  object["metadata"]["name"] = name;
  object["metadata"]["uid"] = "uid-" + name;
  object["metadata"]["creationTimestamp"] = created;
  object["spec"].merge_patch(Json::parse(spec));
  return *k8s::scaled_cache_from_json(object);
}

}  // namespace scaledcache::controller
