// The decision: a pure function. Read decide.cpp first.
#pragma once

#include <vector>

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

// One rule, asked on its own whatever those before it say.
struct RuleVerdict {
  Reason rule = Reason::Steady;    // its name: a rule with several reasons is named by the first
  bool speaks = false;             // the first that does, decides
  Reason reason = Reason::Steady;  // what it would give as the reason
  int replicas = 0;                // what it would decide
};

// Every rule in its order, reasons to hold one by one. For people who ask why; same inputs as
// decide, and the first that speaks says what decide says.
[[nodiscard]] std::vector<RuleVerdict> walk_rules(const Policy& policy,
                                                  const Observation& observation,
                                                  const History& history,
                                                  WallTime now);

}  // namespace scaledcache::core
