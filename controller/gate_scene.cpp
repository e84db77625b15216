#include "controller/gate_scene.h"

#include <algorithm>
#include <functional>
#include <tuple>

namespace scaledcache::controller {
namespace {

using k8s::Pod;
using k8s::ScaledCache;

// Whether the watches have shown what controls a pod. Its ReplicaSet may be seen later than the pod
// itself, and the Deployment later still; kinds that are not watched count as known.
bool is_known(const std::optional<k8s::OwnerRef>& owner,
              const std::string& name_space,
              const NamespaceView& view) {
  if (!owner) {
    return true;
  }
  const auto find_in = [&](const k8s::Store<k8s::Workload>& store) {
    const auto entry = store.find(name_space + "/" + owner->name);
    return entry && entry->envelope.uid == owner->uid ? entry->object : nullptr;
  };
  if (owner->kind == "ReplicaSet") {
    const auto set = find_in(view.replica_sets);
    return set && is_known(set->owner, name_space, view);
  }
  if (owner->kind == "Deployment") {
    return find_in(view.deployments) != nullptr;
  }
  return owner->kind != "StatefulSet" || find_in(view.stateful_sets) != nullptr;
}

// Those that are not on their way out. Of two that name one target, the older one owns it.
std::vector<std::shared_ptr<const ScaledCache>> managing(
    std::vector<std::shared_ptr<const ScaledCache>> caches) {
  std::erase_if(caches, [](const auto& cache) { return cache->meta.deleting; });
  const auto age = [](const ScaledCache& cache) {
    return std::make_tuple(cache.meta.created.value_or(WallTime{}), cache.meta.uid);
  };
  std::sort(caches.begin(), caches.end(),
            [&](const auto& a, const auto& b) { return age(*a) < age(*b); });
  return caches;
}

// By owner, not by name: the watch that showed the pod may be ahead of the one that lists the
// fleet.
bool owns(const Target& target, const Pod& pod, const NamespaceView& view) {
  k8s::Workload workload;
  workload.meta.uid = target.reference.uid;
  std::vector<k8s::Workload> sets;
  for (const auto& entry : view.replica_sets.in_namespace(pod.name_space)) {
    if (entry.object) {
      sets.push_back(*entry.object);
    }
  }
  return k8s::is_owned(pod, k8s::owner_uids(workload, sets));
}

std::vector<Pod> with_pod(std::vector<Pod> fleet, const Pod& pod) {
  const bool known = std::any_of(fleet.begin(), fleet.end(),
                                 [&](const Pod& other) { return other.uid == pod.uid; });
  if (!known) {
    fleet.push_back(pod);
  }
  return fleet;
}

bool means_no_target(ErrorCode code) {
  return code == ErrorCode::NotFound || code == ErrorCode::Invalid;
}

// The first of the caches whose target owns the pod; an empty scene where there is none.
Result<GateScene> search(const Pod& pod,
                         const std::vector<std::shared_ptr<const ScaledCache>>& caches,
                         const NamespaceView& view,
                         const std::function<Result<Target>(const ScaledCache&)>& find) {
  std::optional<Error> trouble;
  for (const auto& cache : caches) {
    auto target = find(*cache);
    if (target && owns(*target, pod, view)) {
      return GateScene{cache, with_pod(std::move(target->pods), pod)};
    }
    if (!target && !means_no_target(target.error().code)) {
      trouble = target.error();
    }
  }
  return trouble ? Result<GateScene>(*trouble) : GateScene{};
}

}  // namespace

bool is_serving(const Pod& pod) {
  return pod.alive() && pod.ready && (!pod.has_gate || (pod.gate && pod.gate->open));
}

bool is_draining(const Pod& pod, const ScaledCache* cache) {
  if (!pod.drain.empty()) {
    return true;
  }
  return cache != nullptr &&
         std::any_of(cache->status.drains.begin(), cache->status.drains.end(),
                     [&](const k8s::DrainIntent& drain) { return drain.uid == pod.uid; });
}

std::vector<std::string> GateScene::serving_without(const std::string& uid) const {
  std::vector<std::string> uids;
  for (const Pod& pod : fleet) {
    if (pod.uid != uid && is_serving(pod) && !is_draining(pod, cache.get())) {
      uids.push_back(pod.uid);
    }
  }
  return uids;
}

Result<GateScene> SceneFinder::find(const Pod& pod, const std::stop_token& stop) {
  if (!parts_.pods.caches_synced(pod.name_space)) {
    return Error{ErrorCode::Unavailable, "the ScaledCaches have not been listed yet"};
  }
  const auto caches = managing(parts_.cluster.caches_in(pod.name_space));
  if (caches.empty()) {
    return GateScene{};
  }
  const auto view = parts_.cluster.view(pod.name_space);
  const SteadyTime now = parts_.clock.steady();
  auto scene = search(pod, caches, *view, [&](const ScaledCache& cache) {
    return parts_.targets.find_lately(cache, *view, now, stop);
  });
  if (!scene || scene->cache) {
    return scene;
  }
  // A target that was made anew is another one: no pod is let go by what may be old.
  scene = search(pod, caches, *view,
                 [&](const ScaledCache& cache) { return parts_.targets.find(cache, *view, stop); });
  if (!scene || scene->cache) {
    return scene;
  }
  const bool is_young = !pod.containers_ready_since ||
                        parts_.clock.wall() - *pod.containers_ready_since <= kOwnerPatience;
  if (is_young && !is_known(pod.owner, pod.name_space, *view)) {
    return Error{ErrorCode::Unavailable, "the pod's owner has not been seen yet"};
  }
  return GateScene{};
}

}  // namespace scaledcache::controller
