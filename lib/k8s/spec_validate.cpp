// The sense of a spec: each rule in its own few lines, each fault as one sentence with the field,
// its value and what is allowed. crds/scaledcaches.yaml holds the same rules.
#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <utility>

#include "base/duration.h"
#include "http/url.h"
#include "k8s/object_reader.h"
#include "k8s/spec.h"
#include "k8s/syntax.h"

namespace scaledcache::k8s {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::size_t kMaxAddress = 2048;
constexpr std::size_t kMaxEntries = 16;       // headers, query parameters
constexpr std::size_t kMaxEntryName = 64;     // bytes
constexpr std::size_t kMaxEntryValue = 1024;  // bytes
constexpr std::size_t kMaxMetric = 256;       // bytes
constexpr std::size_t kMaxLabel = 128;        // bytes

// What would change the framing of a request, belongs to the transport, or is a secret.
constexpr std::array<std::string_view, 17> kForbiddenHeaders{"accept-encoding",
                                                             "authorization",
                                                             "connection",
                                                             "content-encoding",
                                                             "content-length",
                                                             "content-type",
                                                             "cookie",
                                                             "expect",
                                                             "host",
                                                             "keep-alive",
                                                             "range",
                                                             "proxy-authorization",
                                                             "te",
                                                             "proxy-authenticate",
                                                             "trailer",
                                                             "transfer-encoding",
                                                             "upgrade"};

// What the query itself is made of.
constexpr std::array<std::string_view, 5> kForbiddenParameters{"query", "time", "start", "end",
                                                               "step"};

// Collects the problems of one object.
class Checks {
 public:
  Checks(std::string path, Problems& problems) : path_(std::move(path)), problems_(problems) {}

  void add(const std::string& field, const std::string& message) {
    problems_.push_back({path_ + "." + field, message});
  }

  void expect(bool holds, const std::string& field, const std::string& message) {
    if (!holds) {
      add(field, message);
    }
  }

  void in_range(const std::string& field, int value, int least, int most) {
    expect(value >= least && value <= most, field,
           "is " + std::to_string(value) + ", must be from " + std::to_string(least) + " to " +
               std::to_string(most));
  }

  void in_range(const std::string& field,
                Milliseconds value,
                Milliseconds least,
                Milliseconds most) {
    expect(value >= least && value <= most, field,
           "is " + format_duration(value) + ", must be from " + format_duration(least) + " to " +
               format_duration(most));
  }

  [[nodiscard]] const std::string& path() const { return path_; }

  [[nodiscard]] Problems& problems() { return problems_; }

 private:
  std::string path_;
  Problems& problems_;
};

void check_target(const ScaleTargetRef& target, Checks checks) {
  const std::string_view group = target.api_version;
  const std::size_t slash = group.find('/');
  const std::string_view version =
      slash == std::string_view::npos ? group : group.substr(slash + 1);
  const bool group_fits =
      slash == std::string_view::npos || is_dns_name(group.substr(0, slash), 253, true);
  checks.expect(group_fits && is_dns_name(version, 63, false), "apiVersion",
                "is " + shown(target.api_version) + ", must be group/version, such as apps/v1");
  checks.expect(is_kind(target.kind), "kind",
                "is " + shown(target.kind) + ", must be a kind, such as Deployment");
  checks.expect(is_dns_name(target.name, 253, true), "name",
                "is " + shown(target.name) + ", must be the name of an object");
}

void check_headers(const std::map<std::string, std::string>& headers, Checks checks) {
  checks.expect(headers.size() <= kMaxEntries, "headers", "has more than 16 entries");
  for (const auto& [name, value] : headers) {
    const std::string field = "headers[" + shown(name) + "]";
    checks.expect(is_token(name) && name.size() <= kMaxEntryName, field,
                  "is no header name of at most 64 characters");
    checks.expect(std::find(kForbiddenHeaders.begin(), kForbiddenHeaders.end(), to_lower(name)) ==
                      kForbiddenHeaders.end(),
                  field, "must not be set here: it belongs to the transport or holds a secret");
    checks.expect(value.size() <= kMaxEntryValue && !has_control_character(value), field,
                  "must have a value of at most 1024 bytes without control characters");
  }
}

void check_parameters(const std::map<std::string, std::string>& parameters, Checks checks) {
  checks.expect(parameters.size() <= kMaxEntries, "queryParameters", "has more than 16 entries");
  for (const auto& [name, value] : parameters) {
    const std::string field = "queryParameters[" + shown(name) + "]";
    checks.expect(!name.empty() && name.size() <= kMaxEntryName && !has_control_character(name),
                  field, "must have a name of 1 to 64 bytes without control characters");
    checks.expect(std::find(kForbiddenParameters.begin(), kForbiddenParameters.end(), name) ==
                      kForbiddenParameters.end(),
                  field, "must not be set here: the operator sets it itself");
    checks.expect(value.size() <= kMaxEntryValue && !has_control_character(value), field,
                  "must have a value of at most 1024 bytes without control characters");
  }
}

void check_backend(const BackendSpec& backend, Checks checks) {
  checks.in_range("timeout", backend.timeout, Milliseconds{100}, seconds{30});
  check_headers(backend.headers, checks);
  check_parameters(backend.query_parameters, checks);
  if (!backend.address) {
    return;
  }
  checks.expect(backend.address->size() <= kMaxAddress, "address", "is longer than 2048 bytes");
  // The text itself is not repeated: it may hold a password.
  const auto url = http::parse_url(*backend.address);
  checks.expect(url.has_value(), "address", "cannot be used: " + (url ? "" : url.error().message));
  checks.expect(!url || (url->query.empty() && !backend.address->ends_with('?')), "address",
                "has a query, which belongs in queryParameters");
}

void check_source(const SignalSpec& signal, Checks checks) {
  const bool has_metric = signal.counter && !signal.counter->metric.empty();
  const int sources = (signal.preset ? 1 : 0) + (has_metric ? 1 : 0) + (signal.query ? 1 : 0);
  if (sources != 1) {
    const std::string signal_path = checks.path();
    checks.problems().push_back(
        {signal_path, "has " + std::string(sources == 0 ? "none" : "more than one") +
                          " of preset, counter.metric and query, must have exactly one"});
  }
  checks.expect(!signal.query || !signal.counter, "counter",
                "must not stand beside query: write the matchers into the query");
  if (signal.preset) {
    checks.expect(
        std::find(std::begin(kPresets), std::end(kPresets), *signal.preset) != std::end(kPresets),
        "preset", "is " + shown(*signal.preset) + ", must be a preset, such as Varnish or Nginx");
  }
  if (has_metric) {
    checks.expect(
        is_identifier(signal.counter->metric, true) && signal.counter->metric.size() <= kMaxMetric,
        "counter.metric", "is " + shown(signal.counter->metric) + ", must be the name of a metric");
  }
}

void check_query(const std::string& field, const std::string& query, Checks& checks) {
  checks.expect(query.size() <= kMaxQuery && !has_control_character(query, "\t\n\r"), field,
                "must have at most 4096 bytes without control characters");
}

void check_signal(const SignalSpec& signal, Checks checks) {
  check_source(signal, checks);
  checks.expect(is_dns_name(signal.name, 63, false), "name",
                "is " + shown(signal.name) + ", must be 1 to 63 of a-z, 0-9 and -");
  if (signal.query) {
    checks.expect(!signal.query->empty(), "query", "is empty, must be PromQL giving one number");
    check_query("query", *signal.query, checks);
  }
  check_query("saturationQuery", signal.saturation_query, checks);
  const bool pod_label_fits = signal.pod_label.empty() || is_identifier(signal.pod_label, false);
  checks.expect(pod_label_fits && signal.pod_label.size() <= kMaxLabel, "podLabel",
                "is " + shown(signal.pod_label) + ", must be the name of a label, or empty");
  checks.expect(
      is_identifier(signal.namespace_label, false) && signal.namespace_label.size() <= kMaxLabel,
      "namespaceLabel", "is " + shown(signal.namespace_label) + ", must be the name of a label");
  checks.expect(signal.requests_per_replica > 0, "requestsPerReplica",
                "is 0, must be a quantity above 0");
  checks.in_range("targetUtilizationPercent", signal.target_utilization_percent, 1, 100);
}

void check_signals(const Spec& spec, Checks checks) {
  checks.expect(!spec.signals.empty(), "signals", "is empty, must have 1 to 8 entries");
  std::set<std::string> names;
  for (std::size_t i = 0; i < spec.signals.size(); ++i) {
    const SignalSpec& signal = spec.signals[i];
    const std::string field = "signals[" + std::to_string(i) + "]";
    check_signal(signal, Checks(checks.path() + "." + field, checks.problems()));
    checks.expect(names.insert(signal.name).second, field + ".name",
                  "is " + shown(signal.name) + ", which another signal is called already");
    checks.expect(spec.min_replicas != 0 || signal.query, field,
                  "must have a query, since spec.minReplicas is 0 and pods that do not run count "
                  "nothing");
  }
}

void check_scale_up(const ScaleUpSpec& up, Checks checks) {
  checks.in_range("tolerancePercent", up.tolerance_percent, 0, 100);
  checks.in_range("maxFactor", up.max_factor, 1, 1000);
  checks.in_range("maxPods", up.max_pods, 1, kMaxReplicas);
  checks.in_range("lookAheadPercent", up.look_ahead_percent, 0, 100);
  checks.in_range("cooldown", up.cooldown, seconds{0}, hours{24});
}

void check_scale_down(const ScaleDownSpec& down, Checks checks) {
  checks.in_range("tolerancePercent", down.tolerance_percent, 0, 100);
  checks.in_range("stepPercent", down.step_percent, 1, 100);
  checks.in_range("interval", down.interval, seconds{0}, hours{24});
  checks.in_range("patiencePercent", down.patience_percent, 0, 100);
  checks.in_range("outageHold", down.outage_hold, 1, 4);
}

void check_fallback(const FallbackSpec& fallback, Checks checks) {
  const bool needs_replicas =
      fallback.behavior != FallbackBehavior::Hold && fallback.behavior != FallbackBehavior::Maximum;
  checks.expect(!needs_replicas || fallback.replicas, "replicas",
                "is required with behavior " + std::string(name_of(fallback.behavior)));
  if (fallback.replicas) {
    checks.in_range("replicas", *fallback.replicas, 0, kMaxReplicas);
  }
}

void check_windows(const Spec& spec, Checks& checks) {
  checks.in_range("pollInterval", spec.poll_interval, seconds{1}, minutes{10});
  checks.in_range("shortWindow", spec.short_window, seconds{5}, hours{1});
  checks.in_range("longWindow", spec.long_window, seconds{5}, hours{24});
  checks.expect(spec.short_window <= spec.long_window, "shortWindow",
                "is " + format_duration(spec.short_window) + ", must not be above " +
                    checks.path() + ".longWindow (" + format_duration(spec.long_window) + ")");
  checks.in_range("cooldown", spec.cooldown, seconds{0}, hours{24});
  checks.in_range("failureGrace", spec.failure_grace, seconds{0}, hours{24});
  if (spec.max_sample_age) {
    checks.in_range("maxSampleAge", *spec.max_sample_age, seconds{5}, hours{24});
  }
}

}  // namespace

Problems validate(const Spec& spec, const std::string& path) {
  Problems problems;
  Checks checks(path, problems);
  const auto part = [&](const char* field) { return Checks(path + "." + field, problems); };
  check_target(spec.target, part("scaleTargetRef"));
  checks.in_range("minReplicas", spec.min_replicas, 0, kMaxReplicas);
  checks.in_range("maxReplicas", spec.max_replicas, 1, kMaxReplicas);
  checks.expect(spec.min_replicas <= spec.max_replicas, "minReplicas",
                "is " + std::to_string(spec.min_replicas) + ", must not be above " + path +
                    ".maxReplicas (" + std::to_string(spec.max_replicas) + ")");
  check_windows(spec, checks);
  check_backend(spec.backend, part("backend"));
  check_signals(spec, Checks(path, problems));
  check_scale_up(spec.scale_up, part("scaleUp"));
  check_scale_down(spec.scale_down, part("scaleDown"));
  check_fallback(spec.fallback, part("fallback"));
  return problems;
}

}  // namespace scaledcache::k8s
