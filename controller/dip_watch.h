// Follows what each change of the count costs: from the look that wrote it until caches are warm
// and the hit ratio is back. Kept in memory alone; a restart in between loses the report.
#pragma once

#include <optional>

#include "base/clock.h"
#include "controller/look.h"
#include "controller/memory.h"
#include "core/guards.h"
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

[[nodiscard]] k8s::Event dip_event(const k8s::ScaledCache& cache,
                                   const core::Dip& dip,
                                   WallTime now);

}  // namespace scaledcache::controller
