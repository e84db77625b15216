#include "controller/gate_index.h"

#include "k8s/object_meta.h"
#include "k8s/store.h"

namespace scaledcache::controller {
namespace {

std::shared_ptr<const k8s::Workload> workload_of(const k8s::ScaledCache& cache,
                                                 const NamespaceView& view) {
  const k8s::ScaleTargetRef& target = cache.spec.target;
  if (k8s::group_of(target.api_version) != "apps" ||
      (target.kind != "Deployment" && target.kind != "StatefulSet")) {
    return nullptr;
  }
  const auto& store = target.kind == "Deployment" ? view.deployments : view.stateful_sets;
  const auto entry = store.find(cache.meta.name_space + "/" + target.name);
  return entry ? entry->object : nullptr;
}

}  // namespace

std::vector<k8s::LabelSelector> gated_selectors(
    const std::vector<std::shared_ptr<const k8s::ScaledCache>>& caches, const NamespaceView* view) {
  std::vector<k8s::LabelSelector> selectors;
  if (view == nullptr) {
    return selectors;
  }
  for (const auto& cache : caches) {
    if (!cache->valid() || !cache->spec.gates() || cache->spec.dry_run || cache->meta.deleting) {
      continue;
    }
    const auto workload = workload_of(*cache, *view);
    auto selector = k8s::LabelSelector::parse(workload == nullptr ? "" : workload->selector);
    if (selector && !selector->requirements().empty()) {
      selectors.push_back(*std::move(selector));
    }
  }
  return selectors;
}

std::vector<k8s::LabelSelector> GateIndex::selectors(const std::string& name_space) const {
  return gated_selectors(watches_.caches_in(name_space), watches_.known_view(name_space).get());
}

}  // namespace scaledcache::controller
