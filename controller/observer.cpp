#include "controller/observer.h"

#include <algorithm>
#include <compare>

#include "controller/baseline.h"
#include "controller/dip_watch.h"
#include "controller/drain_facts.h"
#include "controller/rivals.h"
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

// Pods that serve and may be counted on, and those that are still on their way there. Where pods
// are gated, Ready alone is no proof; a pod that turned cold is on its way again.
void observe_warmth(const std::optional<FleetWarmth>& warmth,
                    const PodLedger& pods,
                    core::Observation& observation) {
  std::map<std::string, WallTime> since = pods.starting_since();
  if (warmth) {  // from the order on where a pod has never been ready
    since.insert(warmth->cold_since.begin(), warmth->cold_since.end());
  }
  for (const auto& [uid, time] : since) {
    observation.warming_since.push_back(time);
  }
  observation.pods.warm = warmth ? warmth->warm : observation.pods.ready;
  observation.pods.warming = static_cast<int>(since.size());
  for (const NewlyReady& pod : pods.newly_ready()) {
    if (!warmth || warmth->proven.contains(pod.uid)) {
      observation.warmed.push_back(pod.took);
    }
  }
}

core::Observation observe_target(const k8s::ScaledCache& cache, const Target& target) {
  core::Observation observation;
  observation.replicas = target.replicas;
  observation.last_write = k8s::to_count_write(target.replicas_writer);
  observation.pause = k8s::to_pause_wish(cache.pause);
  observation.force_activation = cache.pause.force_activation;
  observation.rollout = target.rollout;
  observation.pods.ready = target.ready_pods();
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
  auto pods = memory.pods.update(target->pods, parts_.clock.wall(), kPodMemory);
  const auto baseline = find_baseline_pods(cache, *target, parts_.cluster);
  if (!baseline) {
    return baseline.error();
  }
  add_baseline(pods, memory.baseline.update(*baseline, parts_.clock.wall(), kPodMemory));
  if (parts_.gates != nullptr) {  // who probes and warms them
    parts_.gates->own_traffic().add_to(pods);
  }

  Gathered gathered;
  gathered.policy = policy_of(cache, parts_.max_replicas_limit);
  gathered.observation = observe_target(cache, *target);
  if (cache.spec.baseline) {
    gathered.observation.baseline_ready = count_ready(*baseline);
  }
  if (parts_.gates != nullptr && cache.spec.gates()) {
    const std::string key = cache.meta.name_space + "/" + cache.meta.name;
    gathered.warmth =
        survey_fleet(cache, target->pods, parts_.gates->pods_of(key), parts_.clock.wall());
  }
  observe_warmth(gathered.warmth, memory.pods, gathered.observation);
  Rival rival = find_rival(cache, parts_.cluster, *view);
  gathered.observation.contender = rival.kind;
  gathered.rival = std::move(rival.name);
  for (std::size_t i = 0; i < gathered.policy.signals.size(); ++i) {
    SignalAnswer answer =
        parts_.signals.read({cache, cache.spec.signals[i], gathered.policy.signals[i],
                             gathered.policy, *memory.history, pods},
                            stop);
    gathered.observation.signals.push_back(std::move(answer.reading));
    if (gathered.traffic.empty()) {
      gathered.traffic = std::move(answer.traffic);
    }
    gathered.signal_errors.push_back(std::move(answer.error));
    if (gathered.ready_reason.empty()) {
      gathered.ready_reason = std::move(answer.ready_reason);
    }
    if (gathered.warmth) {
      parts_.gates->note_starts(cache.meta.name_space + "/" + cache.meta.name, answer.cache_starts);
    }
  }
  if (wants_fleet(cache, memory)) {
    gathered.fleet = read_fleet(cache, gathered.policy, *memory.history, stop);
    gathered.observation.growth_veto =
        core::growth_veto(guard_limits(cache.spec.guards), *gathered.fleet,
                          just_grown(gathered.policy, *memory.history, parts_.clock.wall()));
  }
  if (!gathered.observation.growth_veto &&
      cache.spec.guards.scaling_effect == k8s::EffectGuard::Enforce) {
    gathered.observation.growth_veto =
        core::effect_veto(memory.effect, memory.history->last_up, parts_.clock.wall());
  }
  gathered.observation.draining = memory.status ? pending_drains(*memory.status, *target) : 0;
  gathered.target = std::move(*target);
  return gathered;
}

// Of the first signal whose preset tells; without a preset the kubelet's metrics at most.
core::FleetReading Observer::read_fleet(const k8s::ScaledCache& cache,
                                        const core::Policy& policy,
                                        const core::History& history,
                                        const std::stop_token& stop) {
  const auto& signals = cache.spec.signals;
  const auto found = std::find_if(signals.begin(), signals.end(), [](const k8s::SignalSpec& one) {
    return one.preset.has_value();
  });
  const std::size_t i =
      found == signals.end() ? 0 : static_cast<std::size_t>(found - signals.begin());
  return parts_.signals.read_fleet({cache, signals[i], policy.signals[i], policy, history, {}},
                                   cache.spec.guards.max_egress_bits_per_second.has_value(), stop);
}

}  // namespace scaledcache::controller
