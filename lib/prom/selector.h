// Builds PromQL selectors from names that strangers chose: what is checked and quoted here cannot
// end a string, add a matcher or leave the scope of its ScaledCache. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace scaledcache::prom {

struct Matcher {
  std::string label;
  std::string op;     // "=", "!=", "=~" or "!~"
  std::string value;  // as meant, not escaped

  bool operator==(const Matcher&) const = default;
};

using Matchers = std::vector<Matcher>;

// Where the series of one target are found. No resource can widen it.
struct Scope {
  Matchers operator_matchers;                 // flag --backend-matchers
  std::string namespace_label = "namespace";  // "": the backend has no such label
  std::string namespace_name;
  std::string pod_label = "pod";  // "": samples cannot be mapped to pods
  std::string pod_pattern;        // of pod_name_pattern(); "": any pod
};

// An anchored regular expression that the names of the pods of a workload match: of a Deployment,
// StatefulSet or DaemonSet called `name`; "" for other kinds. Other workloads' pods may match too
// ("web" and "web-burst"): it saves traffic, the owner decides.
[[nodiscard]] std::string pod_name_pattern(std::string_view kind, std::string_view name);

// The same, for pods that are known by name only: their names, with other random tails.
[[nodiscard]] std::string pod_names_pattern(std::span<const std::string_view> names);

[[nodiscard]] Matchers scope_matchers(const Scope& scope);

// Preset's, then user's, then the scope's. A label that the user names loses the preset's matchers;
// those of the scope always stay beside the user's.
[[nodiscard]] Matchers merge_matchers(const Matchers& preset,
                                      const Matchers& user,
                                      const Matchers& scope);

// `metric{a="b",c!~"d"}`. Invalid, naming what is wrong, for a metric, label or operator that is
// none.
[[nodiscard]] Result<std::string> instant_selector(std::string_view metric,
                                                   const Matchers& matchers);

// `metric{…}[30s]`.
[[nodiscard]] Result<std::string> range_selector(std::string_view metric,
                                                 const Matchers& matchers,
                                                 Milliseconds window);

// `sum(rate(metric{…}[30s]))`.
[[nodiscard]] Result<std::string> rate_query(std::string_view metric,
                                             const Matchers& matchers,
                                             Milliseconds window);

// `query` with each $window replaced; $windows stays as it is.
[[nodiscard]] std::string substitute_window(std::string_view query, Milliseconds window);

// "30s", "1500ms": PromQL has no fractions. At least 1 ms.
[[nodiscard]] std::string promql_duration(Milliseconds duration);

}  // namespace scaledcache::prom
