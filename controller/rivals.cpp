#include "controller/rivals.h"

#include <tuple>

#include "k8s/hpa.h"

namespace scaledcache::controller {

Rival find_rival(const k8s::ScaledCache& cache,
                 const ClusterView& cluster,
                 const NamespaceView& view) {
  const k8s::ObjectRef target = cache.target();
  for (const auto& entry : view.autoscalers.in_namespace(cache.meta.name_space)) {
    if (entry.object && k8s::same_target(entry.object->target, target)) {
      return {core::Contender::HorizontalPodAutoscaler,
              "HorizontalPodAutoscaler " + entry.object->name};
    }
  }
  const auto age = [](const k8s::ScaledCache& one) {
    return std::make_tuple(one.meta.created.value_or(WallTime{}), one.meta.uid);
  };
  for (const auto& other : cluster.caches_in(cache.meta.name_space)) {
    if (other->meta.uid != cache.meta.uid && k8s::same_target(other->target(), target) &&
        age(*other) < age(cache)) {
      return {core::Contender::ScaledCache, "ScaledCache " + other->meta.name};
    }
  }
  return {};
}

}  // namespace scaledcache::controller
