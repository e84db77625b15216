// The sense of a spec: each rule in its own few lines, each fault as one sentence with the field,
// its value and what is allowed. crds/scaledcaches.yaml holds the same rules.
#include <chrono>

#include "k8s/object_reader.h"
#include "k8s/spec_checks.h"
#include "k8s/syntax.h"

namespace scaledcache::k8s {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

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
  check_warmup(spec.warmup, part("warmup"));
  check_drain(spec.drain, part("drain"));
  check_guards(spec.guards, part("guards"));
  return problems;
}

}  // namespace scaledcache::k8s
