#include "controller/dip_watch.h"

#include <algorithm>
#include <vector>

#include "core/constants.h"

namespace scaledcache::controller {
namespace {

// What the fleet bears, by the first signal. A query's value need not be requests.
core::FleetLoad load_of(const Look& look) {
  core::FleetLoad load;
  load.pods = look.gathered.observation.pods.ready;
  const auto& signals = look.decision.signals;
  load.refuses = std::any_of(signals.begin(), signals.end(),
                             [](const core::SignalVerdict& signal) { return signal.saturated; });
  const auto& asked = look.gathered.policy.signals;
  if (!signals.empty() && !asked.empty() && asked.front().kind == core::SignalKind::Counter &&
      core::is_usable(signals.front().health)) {
    load.served = signals.front().short_rate;
  }
  return load;
}

// The ready pods whose traffic is known, but for those that are too young to tell.
std::vector<core::PodShare> shares_of(const Look& look, const core::Dip& dip) {
  std::vector<core::PodShare> shares;
  for (const core::PodTraffic& traffic : look.gathered.traffic) {
    const auto& pods = look.gathered.target.pods;
    const auto pod = std::find_if(pods.begin(), pods.end(), [&](const k8s::Pod& one) {
      return one.name == traffic.pod && one.alive() && one.ready;
    });
    if (pod == pods.end()) {
      continue;
    }
    const WallTime since = pod->ready_since.value_or(WallTime{});
    const bool is_new = since > dip.since;
    if (!is_new || look.now - since >= core::kSettled) {
      shares.push_back({pod->node, traffic.rate, is_new});
    }
  }
  return shares;
}

}  // namespace

core::GuardLimits guard_limits(const k8s::GuardsSpec& spec) {
  core::GuardLimits limits;
  if (spec.min_hit_percent) {
    limits.min_hit_ratio = *spec.min_hit_percent / 100.0;
  }
  limits.max_origin_rate = spec.max_fleet_origin_requests_per_second;
  limits.max_egress = spec.max_egress_bits_per_second;
  return limits;
}

bool wants_fleet(const k8s::ScaledCache& cache, const Memory& memory) {
  return guard_limits(cache.spec.guards).any() || memory.dip;
}

bool just_grown(const core::Policy& policy, const core::History& history, WallTime now) {
  const Milliseconds leads = std::chrono::round<Milliseconds>(core::kWarmingLeads * history.lead);
  return history.last_up && !history.last_up_is_start &&
         now - *history.last_up < std::max(policy.long_window, leads);
}

std::optional<core::Dip> follow_dip(const Look& look,
                                    const core::FleetReading& reading,
                                    Memory& memory) {
  const int before = look.gathered.target.replicas;
  const int count = memory.history->replicas.value_or(before);
  if (count != before && !look.gathered.policy.dry_run) {
    const bool goes_on = memory.dip && (memory.dip->to > memory.dip->from) == (count > before);
    if (goes_on) {
      memory.dip->to = count;
      ++memory.dip->steps;
    } else {
      memory.dip = core::begin_dip(before, count, reading, look.now);
      memory.dip->load_before = load_of(look);
    }
    if (count < before) {
      core::note_shrink(memory.effect);
    }
    return std::nullopt;
  }
  if (!memory.dip) {
    return std::nullopt;
  }
  const core::PodCounts& pods = look.gathered.observation.pods;
  const bool all_warm = pods.warming == 0 && pods.warm >= look.decision.from;
  if (!core::advance_dip(*memory.dip, reading, all_warm, look.now)) {
    return std::nullopt;
  }
  memory.dip->load_after = load_of(look);
  const auto ended = memory.dip;
  memory.dip.reset();
  return ended;
}

void recall_dip(const k8s::Status& status, WallTime now, Memory& memory) {
  if (status.dip && now - status.dip->since < 2 * core::kLongestDip) {
    memory.dip = status.dip;
    memory.dip->since = std::min(memory.dip->since, now);
  }
  const k8s::Condition* kept = k8s::find_condition(status.conditions, "ScalingEffective");
  if (kept != nullptr && kept->status != k8s::ConditionStatus::Unknown) {
    memory.effect.newest = core::effect_named(kept->reason);
    memory.effect.evidence = kept->message;
    memory.effect.failed_steps = core::is_failure(memory.effect.newest) ? core::kFailedSteps : 0;
  }
}

core::Effect judge_growth(const Look& look, const core::Dip& dip, Memory& memory) {
  const core::Effect effect =
      core::judge_effect(dip, guard_limits(look.cache.spec.guards), shares_of(look, dip));
  core::note_effect(memory.effect, dip, effect);
  return effect;
}

k8s::ConditionValue effect_condition(const core::EffectRecord& effect) {
  if (effect.ineffective()) {
    return {"ScalingEffective", k8s::ConditionStatus::False,
            std::string(core::name_of(effect.newest)), effect.evidence};
  }
  if (effect.newest == core::Effect::Effective) {
    return {"ScalingEffective", k8s::ConditionStatus::True, "Effective", effect.evidence};
  }
  return {"ScalingEffective", k8s::ConditionStatus::Unknown, "NoEvidence",
          effect.evidence.empty() ? "no growth has been judged yet" : effect.evidence};
}

k8s::Event dip_event(const k8s::ScaledCache& cache, const core::Dip& dip, WallTime now) {
  return {cache.reference(), /*warning=*/false,       "ScalingDip",
          "Measure",         core::describe_dip(dip), now};
}

}  // namespace scaledcache::controller
