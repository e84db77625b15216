// Who changed the count, and what that does to the timers: decision.md, Contested. Internal to this
// room.
#pragma once

#include "core/tick.h"

namespace scaledcache::core {

// Takes note of the count having changed since the last tick, by us or by somebody else.
void note_writes(Tick& tick);

// Takes note of our own decision to go from `tick.serving` to `replicas`.
void note_decision(Tick& tick, int replicas);

// Three foreign writes within an hour that each undid our last one, the newest within the last
// hour.
[[nodiscard]] bool is_fight(const History& history, WallTime now);

}  // namespace scaledcache::core
