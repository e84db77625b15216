#include "controller/target.h"

#include <algorithm>
#include <utility>

namespace scaledcache::controller {
namespace {

template <class T>
std::vector<T> objects_in(const k8s::Store<T>& store, const std::string& name_space) {
  std::vector<T> objects;
  for (const auto& entry : store.in_namespace(name_space)) {
    if (entry.object) {
      objects.push_back(*entry.object);
    }
  }
  return objects;
}

// The store that holds the target's kind, or nullptr when it is not watched.
const k8s::Store<k8s::Workload>* store_of(const k8s::ScaleTargetRef& target,
                                          const NamespaceView& view) {
  if (k8s::group_of(target.api_version) != "apps") {
    return nullptr;
  }
  if (target.kind == "Deployment") {
    return &view.deployments;
  }
  return target.kind == "StatefulSet" ? &view.stateful_sets : nullptr;
}

std::string name_of(const k8s::ScaledCache& cache) {
  const k8s::ScaleTargetRef& target = cache.spec.target;
  return target.kind + " " + target.name + " (" + target.api_version + ") in namespace " +
         cache.meta.name_space;
}

std::string sentence(const k8s::ScaledCache& cache, const std::string& what) {
  return "spec.scaleTargetRef: " + name_of(cache) + " " + what;
}

Error not_listed(const k8s::ScaledCache& cache) {
  return {ErrorCode::Unavailable, "the pods and workloads of namespace " + cache.meta.name_space +
                                      " have not been listed yet"};
}

// A revision for a rollout that we only see by its pods: the newest pod's.
std::string newest_revision(const std::vector<k8s::Pod>& pods) {
  const k8s::Pod* newest = nullptr;
  for (const k8s::Pod& pod : pods) {
    const bool newer = newest == nullptr || pod.container_started > newest->container_started;
    if (pod.alive() && newer) {
      newest = &pod;
    }
  }
  return newest == nullptr ? std::string() : newest->revision;
}

void add_pods(Target& target,
              const k8s::Workload& workload,
              const NamespaceView& view,
              const std::string& name_space) {
  target.pods = k8s::owner_pods(workload, objects_in(view.replica_sets, name_space),
                                objects_in(view.pods, name_space));
  if (k8s::rollout_in_progress(workload, target.pods)) {
    target.rollout = core::Rollout{
        workload.revision.empty() ? newest_revision(target.pods) : workload.revision, {}};
  }
}

Result<Target> from_store(const k8s::ScaledCache& cache,
                          const NamespaceView& view,
                          const k8s::Store<k8s::Workload>& store) {
  const auto entry = store.find(cache.meta.name_space + "/" + cache.spec.target.name);
  if (!entry) {
    return Error{ErrorCode::NotFound, sentence(cache, "does not exist")};
  }
  if (!entry->object) {
    return Error{ErrorCode::Protocol, sentence(cache, "cannot be read: " + entry->fault->message)};
  }
  const k8s::Workload& workload = *entry->object;
  Target target;
  target.reference = cache.target();
  target.reference.uid = workload.meta.uid;
  target.type = {"apps", "v1", workload.kind == "StatefulSet" ? "statefulsets" : "deployments"};
  target.resource_version = workload.meta.resource_version;
  target.replicas = workload.replicas;
  target.selector = workload.selector;
  target.ordered_ready = workload.ordered_ready;
  target.replicas_writer = workload.replicas_writer;
  add_pods(target, workload, view, cache.meta.name_space);
  return target;
}

Target from_scale(const k8s::ScaledCache& cache,
                  const NamespaceView& view,
                  const k8s::ResourceType& type,
                  const k8s::Scale& scale) {
  Target target;
  target.reference = cache.target();
  target.reference.uid = scale.uid;
  target.type = type;
  target.resource_version = scale.resource_version;
  target.replicas = scale.replicas;
  target.selector = scale.selector;
  k8s::Workload workload;  // only its identity is known; its pods tell about rollouts
  workload.meta.uid = scale.uid;
  add_pods(target, workload, view, cache.meta.name_space);
  return target;
}

}  // namespace

int Target::ready_pods() const {
  return static_cast<int>(std::count_if(
      pods.begin(), pods.end(), [](const k8s::Pod& pod) { return pod.alive() && pod.ready; }));
}

Result<Target> TargetFinder::find(const k8s::ScaledCache& cache,
                                  const NamespaceView& view,
                                  const std::stop_token& stop) {
  if (!view.synced()) {
    return not_listed(cache);
  }
  if (const auto* store = store_of(cache.spec.target, view)) {
    return from_store(cache, view, *store);
  }
  const auto scaled = read_scale(cache, stop);
  return scaled ? Result<Target>(from_scale(cache, view, scaled->type, scaled->scale))
                : scaled.error();
}

Result<Target> TargetFinder::find_lately(const k8s::ScaledCache& cache,
                                         const NamespaceView& view,
                                         SteadyTime now,
                                         const std::stop_token& stop) {
  if (!view.synced() || store_of(cache.spec.target, view) != nullptr) {
    return find(cache, view, stop);
  }
  const std::string name = name_of(cache);
  {
    MutexLock lock(mutex_);
    std::erase_if(known_, [&](const auto& entry) { return now - entry.second.read >= kScaleLife; });
    if (const auto found = known_.find(name); found != known_.end()) {
      const Scaled& scaled = found->second.scaled;
      return from_scale(cache, view, scaled.type, scaled.scale);
    }
  }
  auto scaled = read_scale(cache, stop);
  if (!scaled) {
    return scaled.error();
  }
  Target target = from_scale(cache, view, scaled->type, scaled->scale);
  MutexLock lock(mutex_);
  known_.insert_or_assign(name, Known{*std::move(scaled), now});
  return target;
}

Result<TargetFinder::Scaled> TargetFinder::read_scale(const k8s::ScaledCache& cache,
                                                      const std::stop_token& stop) {
  const k8s::ScaleTargetRef& wanted = cache.spec.target;
  const auto kind = discovery_.find(wanted.api_version, wanted.kind, stop);
  if (!kind) {
    return kind.error().code == ErrorCode::NotFound
               ? Error{ErrorCode::NotFound,
                       sentence(cache, "is of a kind that the API server does not serve")}
               : kind.error();
  }
  if (!kind->has_scale) {
    std::string kinds;
    for (const std::string& scalable : kind->scalable_kinds) {
      kinds += (kinds.empty() ? "" : ", ") + scalable;
    }
    return Error{ErrorCode::Invalid,
                 sentence(cache, "has no scale subresource; kinds of its group that have one: " +
                                     (kinds.empty() ? "none" : kinds))};
  }
  const auto body =
      client_.get(k8s::scale_path(kind->type, cache.meta.name_space, wanted.name), stop);
  if (!body) {
    if (body.error().code == ErrorCode::NotFound) {
      discovery_.forget(wanted.api_version);
      return Error{ErrorCode::NotFound, sentence(cache, "does not exist")};
    }
    return body.error();
  }
  auto scale = k8s::decode_scale(*body);
  if (!scale) {
    return scale.error();
  }
  return Scaled{kind->type, *std::move(scale)};
}

}  // namespace scaledcache::controller
