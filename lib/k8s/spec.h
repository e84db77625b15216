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
#include "core/policy.h"
#include "core/schedule.h"
#include "k8s/label_matcher.h"
#include "k8s/problem.h"

namespace scaledcache::k8s {

struct ScaleTargetRef {
  std::string api_version = "apps/v1";
  std::string kind = "Deployment";
  std::string name;

  bool operator==(const ScaleTargetRef&) const = default;
};

// A key of a Secret or ConfigMap of the ScaledCache's namespace.
struct KeyRef {
  std::string name;
  std::string key;

  bool operator==(const KeyRef&) const = default;
};

// One way to prove who asks; exactly one member is set. Where a Secret may be sent is said by its
// own annotation scaledcache.io/allowed-origins.
struct AuthSpec {
  struct ServiceAccount {
    std::string name;
    std::string audience;

    bool operator==(const ServiceAccount&) const = default;
  };

  struct Basic {
    std::string username;
    KeyRef password;

    bool operator==(const Basic&) const = default;
  };

  struct HeaderValue {
    std::string name;
    KeyRef secret;

    bool operator==(const HeaderValue&) const = default;
  };

  std::optional<KeyRef> bearer_secret;
  std::optional<ServiceAccount> bearer_service_account;
  std::optional<Basic> basic;
  std::optional<HeaderValue> header;
  bool allow_insecure = false;  // credentials over plain http

  bool operator==(const AuthSpec&) const = default;
};

struct TlsSpec {
  struct CaRef {
    bool config_map = false;  // else a Secret
    KeyRef ref;

    bool operator==(const CaRef&) const = default;
  };

  std::optional<CaRef> ca;
  std::string server_name;                        // "": the URL's host
  std::optional<std::string> client_certificate;  // a Secret with tls.crt and tls.key

  bool operator==(const TlsSpec&) const = default;
};

struct BackendSpec {
  std::optional<std::string> address;  // absent: `name`, or the operator's --backend-url
  std::optional<std::string> name;     // of a backend that the admin has named
  std::optional<AuthSpec> auth;
  std::optional<TlsSpec> tls;
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
  std::string age_query;             // PromQL giving the age of the query's data in seconds
  bool includes_baseline = false;    // the query counts the baseline's pods as well
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
inline constexpr std::size_t kMaxSchedules = 16;
inline constexpr std::size_t kMaxWarmupPaths = 256;
inline constexpr std::size_t kMaxVariants = 8;
inline constexpr std::size_t kMaxMatchers = 1024;  // bytes
inline constexpr std::size_t kMaxQuery = 4096;     // bytes
inline constexpr int kMaxReplicas = 10'000;

using ScaleUpSpec = core::ScaleUpPolicy;
using ScaleDownSpec = core::ScaleDownPolicy;
using FallbackBehavior = core::FallbackBehavior;

[[nodiscard]] std::string_view name_of(FallbackBehavior behavior);

struct FallbackSpec {
  FallbackBehavior behavior = FallbackBehavior::Hold;
  std::optional<int> replicas;

  bool operator==(const FallbackSpec&) const = default;
};

// Pods outside the target that carry part of the same traffic.
struct BaselineSpec {
  std::string selector;             // as a list request takes it: "app=web,tier in (a,b)"
  double requests_per_replica = 0;  // requests per second that one of them carries

  bool operator==(const BaselineSpec&) const = default;
};

enum class WarmupMode { Off, Gate };
enum class OnWarmupTimeout { Open, Hold };

// How a new pod's cache is filled and proven before the pod takes traffic.
struct WarmupSpec {
  WarmupMode mode = WarmupMode::Off;
  int port = 0;                      // must be declared by a container of the pod
  std::string scheme = "http";       // or "https"
  std::string host_header;           // required with mode Gate
  std::vector<std::string> paths;    // each starts with '/'
  std::optional<KeyRef> paths_from;  // a ConfigMap's key: one path per line, the hottest first
  std::string sitemap;               // a path, e.g. "/sitemap.xml"; "": none
  bool discover_assets = false;
  std::vector<std::map<std::string, std::string>>
      variants;  // request headers; empty: one plain pass
  int min_hit_percent = 90;
  std::string hit_header;  // "": judged by the headers that caches are known to send
  int concurrency = 4;     // requests at a time to one pod
  int max_warming_pods = 4;
  double max_origin_requests_per_second = 0;  // of this ScaledCache; 0: only the operator's limit
  bool probe = true;                          // keep checking pods that are warm
  Milliseconds timeout{120'000};
  OnWarmupTimeout on_timeout = OnWarmupTimeout::Open;
  bool allow_host_network = false;

  bool operator==(const WarmupSpec&) const = default;
};

enum class DrainMode { Off, Gate };

struct DrainSpec {
  std::optional<DrainMode> mode;  // absent: Gate when warmup's is
  Milliseconds period{15'000};
  std::optional<int> max_concurrent;  // absent: as many as the shrink step

  bool operator==(const DrainSpec&) const = default;
};

enum class EffectGuard { Observe, Enforce };

struct GuardsSpec {
  std::optional<int> min_hit_percent;
  std::optional<double> max_fleet_origin_requests_per_second;
  std::optional<double> max_egress_bits_per_second;
  EffectGuard scaling_effect = EffectGuard::Observe;

  bool operator==(const GuardsSpec&) const = default;
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
  std::optional<BaselineSpec> baseline;
  std::vector<core::Schedule> schedules;
  WarmupSpec warmup;
  DrainSpec drain;
  GuardsSpec guards;
  bool dry_run = false;
  bool restore_replicas_on_delete = false;

  [[nodiscard]] bool gates() const { return warmup.mode == WarmupMode::Gate; }

  [[nodiscard]] bool drains() const {
    return drain.mode.value_or(gates() ? DrainMode::Gate : DrainMode::Off) == DrainMode::Gate;
  }

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
