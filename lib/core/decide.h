// The decision: a pure function. Read decide.cpp first.
#pragma once

#include "base/clock.h"
#include "core/decision.h"
#include "core/history.h"
#include "core/observation.h"
#include "core/policy.h"

namespace scaledcache::core {

// How many replicas the target should have, and why. The observation's signals stand in the order
// of the policy's. Same inputs, same output, bit for bit; no input makes it fail. Any thread.
[[nodiscard]] Decision decide(const Policy& policy,
                              const Observation& observation,
                              const History& history,
                              WallTime now);

}  // namespace scaledcache::core
