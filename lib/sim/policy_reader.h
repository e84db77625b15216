// A ScaledCache's spec, as YAML, read into a policy. Internal to this room.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/policy.h"
#include "sim/value.h"

namespace scaledcache::sim {

// What of a spec the world, not the decision, needs to know.
struct SignalQueries {
  std::string saturation;
  bool has_age = false;
  bool shows_uptime = false;
};

struct ReadPolicy {
  core::Policy policy;
  std::vector<SignalQueries> queries;  // in the order of the signals
};

// The presets (lib/prom/presets.h) whose exporters show the uptime of their caches.
[[nodiscard]] const std::vector<std::string_view>& presets_with_uptime();

// Reports unknown keys, wrong types, values out of range and what does not go together.
[[nodiscard]] ReadPolicy read_policy(const Value& spec);

// `base` with the keys of `edit` put in or, where null, taken out; maps are merged, lists replaced.
[[nodiscard]] YAML::Node merged(const YAML::Node& base, const YAML::Node& edit);

}  // namespace scaledcache::sim
