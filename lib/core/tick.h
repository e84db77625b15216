// What the rules share while one tick is decided. Internal to this room.
#pragma once

#include "core/decision.h"
#include "core/history.h"
#include "core/observation.h"
#include "core/policy.h"

namespace scaledcache::core {

struct Tick {
  const Policy& policy;
  const Observation& observation;
  WallTime now;
  History next;             // the history after this tick, as far as it is known
  Milliseconds elapsed{0};  // since the tick before, at most two poll intervals
  int serving = 0;          // S
  int min = 0;              // in force now
  int max = 0;
  Milliseconds long_window{0};  // with outageHold, where it applies
  bool fighting = false;
  std::vector<SignalVerdict> signals{};
  int wish = 0;        // the largest
  int unclamped = 0;   // the largest, before [min, max]
  int shrink_to = 0;   // D, the largest
  double surplus = 0;  // (S − D) ÷ S

  [[nodiscard]] bool any_usable() const;
  [[nodiscard]] bool all_fresh() const;
};

// Everything that the rules are given: the history carried on to `now`, and what each signal says.
[[nodiscard]] Tick begin_tick(const Policy& policy,
                              const Observation& observation,
                              const History& history,
                              WallTime now);

}  // namespace scaledcache::core
