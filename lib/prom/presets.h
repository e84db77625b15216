// What is known about each cache: the counter of its requests, the matchers without which totals
// and parts would be added up, and the series that show refused work. One row per cache.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "prom/selector.h"

namespace scaledcache::prom {

// One addend of what a fleet refuses.
struct SaturationTerm {
  enum class Kind { Counter, Gauge };

  std::string metric;
  Matchers matchers{};
  Kind kind = Kind::Counter;
  bool subtracted = false;
};

struct Preset {
  std::string name;    // as in signals[].preset
  std::string metric;  // counts requests
  Matchers matchers{};
  std::vector<SaturationTerm> saturation{};  // empty: the exporter shows nothing of the kind
};

[[nodiscard]] std::span<const Preset> presets();

// nullptr for a name that is none.
[[nodiscard]] const Preset* find_preset(std::string_view name);

// PromQL giving one number: what the fleet refuses, per second or, for queues, now. Nothing where
// the preset knows no such series; Invalid where a matcher of the scope is broken.
[[nodiscard]] Result<std::optional<std::string>> saturation_query(const Preset& preset,
                                                                  const Matchers& scope,
                                                                  Milliseconds window);

}  // namespace scaledcache::prom
