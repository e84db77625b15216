// What the rules ask before they move the count: who may move it, how far, and whether it is time.
// Internal to this room.
#pragma once

#include <optional>

#include "core/tick.h"

namespace scaledcache::core {

// True where `since` is unknown.
[[nodiscard]] bool passed(std::optional<WallTime> since, Milliseconds time, WallTime now);

// Rounded down.
[[nodiscard]] int percent_of(int replicas, int percent);

// An HPA, or the ScaledCache that owns the target, is in charge: ours writes nothing, not even a
// bound.
[[nodiscard]] bool is_contended(const Tick& tick);

// Against a writer that puts the count back: once a minute.
[[nodiscard]] bool may_write_in_fight(const Tick& tick);

// The largest wish of those that are above the tolerance; the count where there is none.
[[nodiscard]] int wanted(const Tick& tick);

// How far one tick may grow; from zero there is no limit.
[[nodiscard]] int growth_limit(const Tick& tick);

// A signal has been kept from asking for all that it would.
[[nodiscard]] bool held_back(const Tick& tick);

// An enforced guard stops growth that does not help, never below what refused requests need.
[[nodiscard]] bool vetoed_by_guard(const Tick& tick);

[[nodiscard]] bool growth_cools_down(const Tick& tick);

// What the fallback asks for, before the bounds.
[[nodiscard]] int fallback_count(const Tick& tick);

// By how much one tick may shrink; at least 1.
[[nodiscard]] int shrink_step(const Tick& tick);

// Whether the fallback may go one step down now.
[[nodiscard]] bool may_step_down(const Tick& tick);

}  // namespace scaledcache::core
