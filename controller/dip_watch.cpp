#include "controller/dip_watch.h"

#include <algorithm>

#include "core/constants.h"

namespace scaledcache::controller {

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
    } else {
      memory.dip = core::begin_dip(before, count, reading, look.now);
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
  const auto ended = memory.dip;
  memory.dip.reset();
  return ended;
}

k8s::Event dip_event(const k8s::ScaledCache& cache, const core::Dip& dip, WallTime now) {
  return {cache.reference(), /*warning=*/false,       "ScalingDip",
          "Measure",         core::describe_dip(dip), now};
}

}  // namespace scaledcache::controller
