// Intents to drain against the count: which of them have been lowered for, and which have not.
// Internal to this room.
#pragma once

#include <string>
#include <vector>

#include "core/drain.h"

namespace scaledcache::core {

// The goal was stored with the intents, before any lowering, and the count falls with each: what
// separates the two is what is still to be lowered.
struct DrainBooks {
  std::vector<DrainIntent> gone;    // their pods have left
  std::vector<DrainIntent> remain;  // their pods live
  int went = 0;                     // of the gone, had the count lowered for them
  int lowered = 0;                  // of the remaining, have it lowered
  int pending = 0;                  // of the remaining, have not
};

[[nodiscard]] DrainBooks balance(const DrainFacts& facts);

// The living pod of that UID, or nullptr. Points into `facts`.
[[nodiscard]] const DrainPod* find_pod(const DrainFacts& facts, const std::string& uid);

// In a StatefulSet whose pods come and go in order: the pod that is not Ready and holds up all
// above it, or nullptr. Were the count lowered, the drained pod would go at some later time, when
// it may be serving again. Pods that are drained hold nothing up; `begins`: nor does the highest
// ordinal.
[[nodiscard]] const DrainPod* find_blocking(const DrainFacts& facts, bool begins);

}  // namespace scaledcache::core
