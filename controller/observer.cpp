#include "controller/observer.h"

#include <algorithm>
#include <compare>
#include <tuple>

#include "k8s/hpa.h"
#include "k8s/scale.h"
#include "k8s/spec_policy.h"
#include "k8s/watch_state.h"

namespace scaledcache::controller {
namespace {

constexpr Milliseconds kPodMemory{900'000};  // the longest range selector that is asked for

core::Policy policy_of(const k8s::ScaledCache& cache, int max_replicas_limit) {
  core::Policy policy = k8s::to_policy(cache.spec);
  policy.max_replicas = std::min(policy.max_replicas, max_replicas_limit);
  policy.min_replicas = std::min(policy.min_replicas, policy.max_replicas);
  for (std::size_t i = 0; i < policy.signals.size(); ++i) {
    policy.signals[i].saturation = saturation_kind(cache.spec.signals[i]);
  }
  return policy;
}

// Our own newest write counts until the watch shows it: a decision from an older count would be
// made twice.
void apply_own_write(Target& target, Memory& memory) {
  auto& write = memory.own_scale_write;
  if (!write || write->uid != target.reference.uid) {
    write.reset();
    return;
  }
  const auto order =
      k8s::compare_resource_versions(target.resource_version, write->resource_version);
  const bool watch_has_it = order ? std::is_gteq(*order) : target.replicas == write->replicas;
  if (watch_has_it) {
    write.reset();
    return;
  }
  target.replicas = write->replicas;
  target.resource_version = write->resource_version;
  target.replicas_writer = k8s::ReplicasWriter{k8s::kFieldManager, write->time};
}

// The older resource owns a target that two of them name, then the one with the smaller UID.
bool is_owned_by_another(const k8s::ScaledCache& cache, const ClusterView& cluster) {
  const auto age = [](const k8s::ScaledCache& one) {
    return std::make_tuple(one.meta.created.value_or(WallTime{}), one.meta.uid);
  };
  for (const auto& other : cluster.caches_in(cache.meta.name_space)) {
    if (other->meta.uid != cache.meta.uid && k8s::same_target(other->target(), cache.target()) &&
        age(*other) < age(cache)) {
      return true;
    }
  }
  return false;
}

core::Observation observe_target(const k8s::ScaledCache& cache,
                                 const Target& target,
                                 const PodLedger& pods) {
  core::Observation observation;
  observation.replicas = target.replicas;
  observation.last_write = k8s::to_count_write(target.replicas_writer);
  observation.pause = k8s::to_pause_wish(cache.pause);
  observation.force_activation = cache.pause.force_activation;
  observation.rollout = target.rollout;
  observation.pods.ready = target.ready_pods();
  observation.pods.warm = observation.pods.ready;
  observation.warming_since = pods.starting_since();
  observation.pods.warming = static_cast<int>(observation.warming_since.size());
  observation.warmed = pods.newly_ready();
  return observation;
}

}  // namespace

Result<Gathered> Observer::observe(const k8s::ScaledCache& cache,
                                   Memory& memory,
                                   const std::stop_token& stop) {
  const auto view = parts_.cluster.view(cache.meta.name_space);
  auto target = parts_.targets.find(cache, *view, stop);
  if (!target) {
    return target.error();
  }
  apply_own_write(*target, memory);
  const auto pods = memory.pods.update(target->pods, parts_.clock.wall(), kPodMemory);

  Gathered gathered;
  gathered.policy = policy_of(cache, parts_.max_replicas_limit);
  gathered.observation = observe_target(cache, *target, memory.pods);
  if (is_owned_by_another(cache, parts_.cluster)) {
    gathered.observation.contender = core::Contender::ScaledCache;
  }
  for (std::size_t i = 0; i < gathered.policy.signals.size(); ++i) {
    SignalAnswer answer =
        parts_.signals.read({cache, cache.spec.signals[i], gathered.policy.signals[i],
                             gathered.policy, *memory.history, pods},
                            stop);
    gathered.observation.signals.push_back(std::move(answer.reading));
    gathered.signal_errors.push_back(std::move(answer.error));
  }
  gathered.target = std::move(*target);
  return gathered;
}

}  // namespace scaledcache::controller
