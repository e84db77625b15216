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

// One addend of a number about the fleet.
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
  bool counts_http = true;  // those of HTTP visitors, whoever they are
  // Empty: the exporter shows nothing of the kind.
  std::vector<SaturationTerm> hits{};
  std::vector<SaturationTerm> lookups{};  // that the hits are a part of
  std::vector<SaturationTerm> origin{};   // requests that go on to the origin
  std::vector<SaturationTerm> saturation{};
  std::string uptime{};  // of the cache process, in seconds
};

[[nodiscard]] std::span<const Preset> presets();

// nullptr for a name that is none.
[[nodiscard]] const Preset* find_preset(std::string_view name);

// PromQL giving one number: what the fleet refuses, per second or, for queues, now. A series that
// an older exporter lacks counts nothing; the answer is empty where all of them are missing.
// Nothing where the preset knows no such series; Invalid where a matcher of the scope is broken.
[[nodiscard]] Result<std::optional<std::string>> saturation_query(const Preset& preset,
                                                                  const Matchers& scope,
                                                                  Milliseconds window);

// Likewise: hits ÷ lookups over the window, and requests per second to the origin.
[[nodiscard]] Result<std::optional<std::string>> hit_ratio_query(const Preset& preset,
                                                                 const Matchers& scope,
                                                                 Milliseconds window);
[[nodiscard]] Result<std::optional<std::string>> origin_query(const Preset& preset,
                                                              const Matchers& scope,
                                                              Milliseconds window);

// PromQL giving the bits per second that the pods send, as the kubelet's own metrics tell.
[[nodiscard]] Result<std::string> egress_query(const Matchers& scope, Milliseconds window);

}  // namespace scaledcache::prom
