// What a look at a pod leaves in its record, and when the next one is due. Pure.
#pragma once

#include <optional>

#include "base/clock.h"
#include "cache/warmup.h"
#include "controller/gate_book.h"
#include "controller/gate_facts.h"
#include "controller/warmup_runner.h"
#include "core/warmth.h"

namespace scaledcache::controller {

inline constexpr Milliseconds kGateProgress{
    1'000};  // while a pod is warmed, or waits for its place

// Before the judge: whose pod it is, and how long it has waited. Once seen, a wait goes by the
// steady clock, and what lies ahead of the wall clock counts as now: a clock that jumps neither
// shortens a wait nor prolongs it.
void note_sight(const GateSight& sight, GateRecord& record);

// After the judge: what was found, or that what was proven is lost.
void note_verdict(const GateSight& sight, GateRecord& record, const core::WarmthVerdict& verdict);

// What a warm-up came to, as the judge reads it; `before` is the one that ended before it.
[[nodiscard]] core::WarmupFacts outcome_of(const WarmJob& job,
                                           const cache::WarmupReport& report,
                                           const std::optional<core::WarmupFacts>& before,
                                           WallTime now);

// Whether the pod is one that is asked for its pages from time to time, and how often. One that
// answers slowly, or not at all, is asked less and less, so that it does not hold up the others.
[[nodiscard]] bool wants_probes(const GateSight& sight, const GateRecord& record);
[[nodiscard]] Milliseconds probe_interval(const GateRecord& record, std::size_t warm_pods);

// Nothing when only a change calls for a look.
[[nodiscard]] std::optional<Milliseconds> next_look(const GateSight& sight,
                                                    const GateRecord& record,
                                                    const core::WarmthVerdict& verdict,
                                                    std::size_t warm_pods);

}  // namespace scaledcache::controller
