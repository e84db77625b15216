// Follows what each change of the count costs and whether it helped: from the look that wrote it
// until caches are warm and the hit ratio is back. Status keeps the one that is followed, so a
// restart goes on with it.
#pragma once

#include <optional>

#include "base/clock.h"
#include "controller/look.h"
#include "controller/memory.h"
#include "core/guards.h"
#include "core/scaling_effect.h"
#include "k8s/condition.h"
#include "k8s/event.h"

namespace scaledcache::controller {

// The limits that the resource sets; none where it sets none.
[[nodiscard]] core::GuardLimits guard_limits(const k8s::GuardsSpec& spec);

// Whether a look needs a reading of the fleet before it decides.
[[nodiscard]] bool wants_fleet(const k8s::ScaledCache& cache, const Memory& memory);

// Whether the fleet grew so lately that its newest pods may not be warm.
[[nodiscard]] bool just_grown(const core::Policy& policy,
                              const core::History& history,
                              WallTime now);

// Takes note of a look that was carried out. `reading`: what the fleet showed in it. Returns the
// dip that has just ended.
[[nodiscard]] std::optional<core::Dip> follow_dip(const Look& look,
                                                  const core::FleetReading& reading,
                                                  Memory& memory);

// Takes up what an operator before this one followed, and what it had learned of growth. A dip that
// nobody has watched for much longer than dips last is dropped.
void recall_dip(const k8s::Status& status, WallTime now, Memory& memory);

// What a growth whose dip has ended came to; `memory` remembers it.
[[nodiscard]] core::Effect judge_growth(const Look& look, const core::Dip& dip, Memory& memory);

// ScalingEffective, as the last growths show it.
[[nodiscard]] k8s::ConditionValue effect_condition(const core::EffectRecord& effect);

[[nodiscard]] k8s::Event dip_event(const k8s::ScaledCache& cache,
                                   const core::Dip& dip,
                                   WallTime now);

}  // namespace scaledcache::controller
