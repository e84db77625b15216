// What one signal says: docs/decision.md, "Health" and "What each signal says". Internal to this
// room.
#pragma once

#include "core/tick.h"

namespace scaledcache::core {

// Judges one signal and carries its history on to this tick.
[[nodiscard]] SignalVerdict judge_signal(const Tick& tick,
                                         const SignalPolicy& signal,
                                         const SignalReading& reading,
                                         SignalHistory& history);

}  // namespace scaledcache::core
