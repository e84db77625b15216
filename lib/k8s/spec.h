// The spec of a ScaledCache as users type it: shape (`spec_from_json`), then sense (`validate`).
// The schema in crds/ says the same to `kubectl apply`; this is what holds when it was bypassed.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "k8s/label_matcher.h"
#include "k8s/problem.h"

namespace scaledcache::k8s {

struct ScaleTargetRef {
  std::string api_version = "apps/v1";
  std::string kind = "Deployment";
  std::string name;

  bool operator==(const ScaleTargetRef&) const = default;
};

struct BackendSpec {
  std::optional<std::string> address;  // absent: the operator's --backend-url
  std::map<std::string, std::string> headers;
  std::map<std::string, std::string> query_parameters;
  Milliseconds timeout{5'000};  // total, from resolve to last byte

  bool operator==(const BackendSpec&) const = default;
};

struct CounterSpec {
  std::string metric;  // "" only beside a preset, which names its own
  std::vector<LabelMatcher> matchers;

  bool operator==(const CounterSpec&) const = default;
};

// Exactly one of preset, counter.metric and query says where the rate comes from.
struct SignalSpec {
  std::string name = "requests";
  std::optional<std::string> preset;  // one of kPresets
  std::optional<CounterSpec> counter;
  std::optional<std::string> query;  // PromQL giving one number; $window is the short window
  std::string pod_label = "pod";     // "": samples cannot be mapped to pods
  std::string namespace_label = "namespace";
  double requests_per_replica = 0;  // requests per second that one warm replica should carry
  int target_utilization_percent = 100;
  double activation_rate = 0;    // requests per second; gates 0 <-> 1 only
  std::string saturation_query;  // PromQL for refused work; "": the preset's, if it has one

  // q of the decision: what one replica is planned to carry, in requests per second.
  [[nodiscard]] double planned_per_replica() const {
    return requests_per_replica * target_utilization_percent / 100.0;
  }

  bool operator==(const SignalSpec&) const = default;
};

inline constexpr std::string_view kPresets[] = {"Varnish", "Nginx",     "NginxPlus",    "NginxVTS",
                                                "Envoy",   "HAProxy",   "Traefik",      "Squid",
                                                "Redis",   "Memcached", "TrafficServer"};

inline constexpr std::size_t kMaxSignals = 8;
inline constexpr std::size_t kMaxMatchers = 1024;  // bytes
inline constexpr std::size_t kMaxQuery = 4096;     // bytes
inline constexpr int kMaxReplicas = 10'000;

struct ScaleUpSpec {
  int tolerance_percent = 0;
  int max_factor = 4;
  int max_pods = 4;
  int look_ahead_percent = 25;
  bool headroom_learned = true;  // headroom: Learned or None
  Milliseconds cooldown{0};

  bool operator==(const ScaleUpSpec&) const = default;
};

struct ScaleDownSpec {
  int tolerance_percent = 10;
  int step_percent = 25;
  Milliseconds interval{60'000};
  int patience_percent = 25;
  int outage_hold = 1;

  bool operator==(const ScaleDownSpec&) const = default;
};

enum class FallbackBehavior { Hold, Static, CurrentOrHigher, CurrentOrLower, Maximum };

[[nodiscard]] std::string_view name_of(FallbackBehavior behavior);

struct FallbackSpec {
  FallbackBehavior behavior = FallbackBehavior::Hold;
  std::optional<int> replicas;

  bool operator==(const FallbackSpec&) const = default;
};

struct Spec {
  ScaleTargetRef target;
  int min_replicas = 1;
  int max_replicas = 0;
  Milliseconds poll_interval{5'000};
  Milliseconds short_window{30'000};
  Milliseconds long_window{300'000};
  Milliseconds cooldown{300'000};
  BackendSpec backend;
  std::vector<SignalSpec> signals;
  ScaleUpSpec scale_up;
  ScaleDownSpec scale_down;
  FallbackSpec fallback;
  Milliseconds failure_grace{180'000};
  std::optional<Milliseconds> max_sample_age;  // absent: learned from the scrape interval
  bool dry_run = false;

  bool operator==(const Spec&) const = default;
};

// Reads the object under `path` ("spec"). An absent or null field takes its default; a field that
// is required and absent, of a wrong type, out of the range of its type or unknown adds a problem
// and keeps its default, so that one call tells everything. Never throws.
[[nodiscard]] Spec spec_from_json(const Json& object, const std::string& path, Problems& problems);

// All that makes no sense although its shape is right: bounds, windows out of order, none or two
// sources of a signal, a URL that is not http(s)… Empty when the spec can be obeyed.
[[nodiscard]] Problems validate(const Spec& spec, const std::string& path = "spec");

// A quantity of Kubernetes ("200", "1.5k", "250m", 200) as a number; nothing if it is none, or is
// not finite.
[[nodiscard]] std::optional<double> parse_quantity(std::string_view text);

}  // namespace scaledcache::k8s
