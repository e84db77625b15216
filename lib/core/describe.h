// Decisions in words, for status, events and logs.
#pragma once

#include <string>

#include "base/clock.h"
#include "core/decision.h"
#include "core/observation.h"
#include "core/policy.h"

namespace scaledcache::core {

// One sentence with the numbers: why this count, what held it, when it is looked at again. No line
// break, no text from outside but the signal's name.
[[nodiscard]] std::string describe(const Policy& policy,
                                   const Observation& observation,
                                   const Decision& decision,
                                   WallTime now);

}  // namespace scaledcache::core
