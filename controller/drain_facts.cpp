#include "controller/drain_facts.h"

#include <algorithm>
#include <charconv>

#include "core/constants.h"
#include "core/warmth.h"
#include "k8s/drain_mark.h"
#include "k8s/spec_policy.h"

namespace scaledcache::controller {
namespace {

// The number behind the last dash; -1 where there is none.
int ordinal_of(const std::string& name) {
  const std::size_t dash = name.rfind('-');
  int ordinal = -1;
  if (dash != std::string::npos) {
    (void)std::from_chars(name.data() + dash + 1, name.data() + name.size(), ordinal);
  }
  return ordinal;
}

// The gate is closed before the pod is un-ready; of the two clocks that tell, the later counts.
std::optional<WallTime> unready_since(const k8s::Pod& pod) {
  if (pod.ready || !pod.unready_since) {
    return std::nullopt;
  }
  const bool closed_by_us =
      pod.gate && !pod.gate->open && pod.gate->reason == k8s::kDrainingReason && pod.gate->since;
  return closed_by_us ? std::max(*pod.unready_since, *pod.gate->since) : *pod.unready_since;
}

// Status names the worst pods alone, and those who are not in it are not the coldest: all are
// asked.
std::optional<double> hit_ratio_of(const Gathered& gathered, const std::string& pod) {
  if (!gathered.warmth) {
    return std::nullopt;
  }
  const auto& pods = gathered.warmth->pods;
  const auto found = std::find_if(pods.begin(), pods.end(),
                                  [&](const k8s::PodStatus& one) { return one.name == pod; });
  return found == pods.end() || !found->hit_percent ? std::nullopt
                                                    : std::optional(*found->hit_percent / 100.0);
}

core::DrainPod drain_pod(const k8s::Pod& pod, const Gathered& gathered) {
  core::DrainPod result;
  core::Candidate& candidate = result.candidate;
  candidate.name = pod.name;
  candidate.uid = pod.uid;
  candidate.phase = k8s::to_pod_facts(pod, /*belongs=*/true).phase;
  candidate.node = pod.node;
  candidate.zone = pod.zone;
  candidate.ready = pod.ready;
  candidate.gated = pod.has_gate;
  candidate.warm = pod.gate && pod.gate->open &&
                   pod.gate->reason == core::name_of(core::WarmthReason::CacheWarm);
  candidate.ordinal = ordinal_of(pod.name);
  candidate.hit_ratio = hit_ratio_of(gathered, pod.name);
  result.unready_since = unready_since(pod);
  for (const core::PodTraffic& traffic : gathered.traffic) {
    if (traffic.pod == pod.name) {
      candidate.rate = traffic.rate;
      result.rate_since = traffic.since;
    }
  }
  return result;
}

std::vector<core::DrainIntent> intents_of(const k8s::Status& status) {
  std::vector<core::DrainIntent> intents;
  for (const k8s::DrainIntent& drain : status.drains) {
    intents.push_back({drain.pod, drain.uid, drain.since});
  }
  return intents;
}

bool rolls_out(const Look& look) {
  const auto& since = look.decision.history.rollout_since;
  return look.gathered.observation.rollout && since &&
         look.now - *since < std::max(look.gathered.policy.long_window, core::kRolloutHold);
}

bool is_must(const Look& look) {
  const core::Decision& decision = look.decision;
  return look.gathered.target.replicas > decision.max_replicas ||
         (decision.reason == core::Reason::Fallback && decision.replicas <= decision.from);
}

core::DrainVeto veto_of(const Look& look) {
  const core::Observation& observation = look.gathered.observation;
  if (!drains(look.cache)) {
    return core::DrainVeto::Off;
  }
  if (look.decision.reason == core::Reason::Paused || observation.pause.no_shrinking) {
    return core::DrainVeto::Paused;
  }
  if (observation.contender != core::Contender::None || look.decision.fighting) {
    return core::DrainVeto::Contested;
  }
  return rolls_out(look) && !is_must(look) ? core::DrainVeto::Rollout : core::DrainVeto::None;
}

bool data_ok(const core::Decision& decision) {
  return std::all_of(
      decision.signals.begin(), decision.signals.end(), [](const core::SignalVerdict& signal) {
        return core::is_usable(signal.health) && signal.health != core::Health::Suspect;
      });
}

// A step that is larger than maxConcurrent is drained batch by batch; it goes on only while nothing
// but the time between steps would hold a new one.
int wanted_by(const Look& look, const Memory& memory) {
  const core::Decision& decision = look.decision;
  const bool held =
      decision.replicas == decision.from &&
      (decision.reason == core::Reason::Draining || decision.reason == core::Reason::LongWindow ||
       decision.reason == core::Reason::ScaleDownLimited);
  if (!held || !memory.drain_toward) {
    return decision.replicas;
  }
  const int least = std::max({*memory.drain_toward, decision.shrink_to, decision.wish});
  return std::min(decision.replicas, least);
}

int step_of(const Look& look) {
  const int percent = look.gathered.policy.scale_down.step_percent;
  return std::max(1, static_cast<int>(std::int64_t{look.decision.from} * percent / 100));
}

}  // namespace

bool drains(const k8s::ScaledCache& cache) {
  return cache.spec.drains() && !cache.spec.dry_run;
}

int pending_drains(const k8s::Status& status, const Target& target) {
  core::DrainFacts facts;
  facts.replicas = target.replicas;
  facts.intents = intents_of(status);
  facts.goal = status.drain_goal;
  for (const k8s::Pod& pod : target.pods) {
    if (pod.alive()) {
      facts.pods.emplace_back().candidate.uid = pod.uid;
    }
  }
  return core::pending_drains(facts);
}

core::DrainPolicy drain_policy(const Look& look) {
  const k8s::DrainSpec& spec = look.cache.spec.drain;
  const Target& target = look.gathered.target;
  core::DrainPolicy policy;
  policy.period = spec.period;
  policy.max_concurrent = spec.max_concurrent.value_or(step_of(look));
  policy.victims.stateful_set = target.reference.kind == "StatefulSet";
  policy.ordered_ready = target.ordered_ready;
  return policy;
}

core::DrainFacts drain_facts(const Look& look, const Memory& memory) {
  const Target& target = look.gathered.target;
  const k8s::Status& status = *memory.status;
  core::DrainFacts facts;
  facts.replicas = target.replicas;
  for (const k8s::Pod& pod : target.pods) {
    if (pod.alive()) {
      facts.pods.push_back(drain_pod(pod, look.gathered));
    }
  }
  facts.intents = intents_of(status);
  facts.goal = status.drain_goal;
  facts.wanted = wanted_by(look, memory);
  facts.must = is_must(look);
  facts.data_ok = data_ok(look.decision);
  facts.veto = veto_of(look);
  facts.last_lowering = memory.history->last_down;
  return facts;
}

}  // namespace scaledcache::controller
