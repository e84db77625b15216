// The events of a scenario: faults that last and things that happen. Internal to this room.
#pragma once

#include "sim/scenario.h"
#include "sim/value.h"

namespace scaledcache::sim {

// `spec` is the policy that edits are merged into.
void read_events(const Value& value,
                 const YAML::Node& spec,
                 Problems& problems,
                 Scenario& scenario);

// `{pods: n}`.
[[nodiscard]] int read_baseline_pods(const Value& value);

}  // namespace scaledcache::sim
