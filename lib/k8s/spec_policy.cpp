#include "k8s/spec_policy.h"

#include "k8s/scale.h"

namespace scaledcache::k8s {
namespace {

core::SignalPolicy to_signal_policy(const SignalSpec& spec) {
  core::SignalPolicy signal;
  signal.name = spec.name;
  signal.kind = spec.query ? core::SignalKind::Query : core::SignalKind::Counter;
  signal.pod_label = spec.pod_label;
  signal.requests_per_replica = spec.requests_per_replica;
  signal.target_utilization_percent = spec.target_utilization_percent;
  signal.activation_rate = spec.activation_rate;
  signal.includes_baseline = spec.includes_baseline;
  signal.saturation = core::saturation_kind_of(spec.saturation_query);
  return signal;
}

core::PodPhase to_core(PodPhase phase) {
  switch (phase) {
    case PodPhase::Pending:
      return core::PodPhase::Pending;
    case PodPhase::Running:
      return core::PodPhase::Running;
    case PodPhase::Succeeded:
      return core::PodPhase::Succeeded;
    case PodPhase::Failed:
      return core::PodPhase::Failed;
    case PodPhase::Unknown:
      break;
  }
  return core::PodPhase::Unknown;
}

}  // namespace

core::Policy to_policy(const Spec& spec) {
  core::Policy policy;
  policy.min_replicas = spec.min_replicas;
  policy.max_replicas = spec.max_replicas;
  policy.poll_interval = spec.poll_interval;
  policy.short_window = spec.short_window;
  policy.long_window = spec.long_window;
  policy.cooldown = spec.cooldown;
  for (const SignalSpec& signal : spec.signals) {
    policy.signals.push_back(to_signal_policy(signal));
  }
  if (spec.baseline) {
    policy.baseline = core::BaselinePolicy{spec.baseline->requests_per_replica};
  }
  policy.schedules = spec.schedules;
  policy.scale_up = spec.scale_up;
  policy.scale_down = spec.scale_down;
  policy.fallback.behavior = spec.fallback.behavior;
  policy.fallback.replicas = spec.fallback.replicas.value_or(0);
  policy.failure_grace = spec.failure_grace;
  policy.max_sample_age = spec.max_sample_age;
  policy.dry_run = spec.dry_run;
  return policy;
}

core::PauseWish to_pause_wish(const PauseAnnotations& pause) {
  core::PauseWish wish;
  wish.paused = pause.paused;
  wish.paused_replicas = pause.replicas;
  wish.no_growth = pause.scale_up_paused;
  wish.no_shrinking = pause.scale_down_paused;
  return wish;
}

core::PodFacts to_pod_facts(const Pod& pod, bool belongs) {
  core::PodFacts facts;
  facts.name = pod.name;
  facts.address = pod.pod_ip;
  facts.phase = to_core(pod.phase);
  facts.belongs = belongs;
  facts.ready = pod.ready;
  facts.terminating = pod.deleted.has_value();
  facts.ready_since = pod.ready_since;
  facts.ready_until = pod.unready_since;
  facts.container_started = pod.container_started;
  return facts;
}

std::optional<core::CountWrite> to_count_write(const std::optional<ReplicasWriter>& writer) {
  if (!writer) {
    return std::nullopt;
  }
  core::CountWrite write;
  write.ours = writer->manager == kFieldManager;
  write.time = writer->time;
  return write;
}

}  // namespace scaledcache::k8s
