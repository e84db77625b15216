// Which pods leave when a fleet shrinks: the ones whose cache is worth least, and never one whose
// going takes the last endpoint from a node or a zone.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/observation.h"

namespace scaledcache::core {

// A living pod of the target, as choosing sees it.
struct Candidate {
  std::string name;
  std::string uid;
  PodPhase phase = PodPhase::Running;
  std::string node;  // empty: not assigned to a node yet
  std::string zone;  // of that node; empty: not known
  bool ready = false;
  bool gated = false;               // carries our readiness gate: only such a pod can be drained
  bool warm = false;                // its gate was opened by a proof
  int ordinal = -1;                 // of a StatefulSet's pod, from its name
  std::optional<double> hit_ratio;  // of its requests, 0 … 1
  std::optional<double> rate;       // requests per second
};

struct VictimRules {
  bool stateful_set = false;  // the highest ordinal goes, whatever anybody wishes
  bool node_local = false;    // a Service of the pods has internalTrafficPolicy: Local
  // A hard bound is above keeping the last pod of a node or a zone.
  bool must = false;
};

struct Victims {
  std::vector<std::string> unborn;  // UIDs: Kubernetes takes them before any other, serving nothing
  std::vector<std::string> drain;   // UIDs: to be drained, the first one first
  int ungated = 0;                  // pods that would have to go and cannot be drained
  int kept = 0;                     // pods that are the last of their node or zone

  bool operator==(const Victims&) const = default;
};

// At most `how_many` in all. Unassigned and Pending pods come first, since the ReplicaSet
// controller deletes them before anything that runs; then pods that are not ready, cold before
// warm, the lowest hit ratio, the least traffic. What is not known about a pod counts as the least.
// Of a StatefulSet: the highest ordinals, down to the first that has no gate.
[[nodiscard]] Victims choose_victims(std::span<const Candidate> pods,
                                     int how_many,
                                     const VictimRules& rules);

}  // namespace scaledcache::core
