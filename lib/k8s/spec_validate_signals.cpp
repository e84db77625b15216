// The sense of what is measured, and of what shares or raises it.
#include <algorithm>
#include <set>

#include "k8s/object_reader.h"
#include "k8s/spec_checks.h"
#include "k8s/syntax.h"

namespace scaledcache::k8s {
namespace {

constexpr std::size_t kMaxMetric = 256;  // bytes
constexpr std::size_t kMaxLabel = 128;   // bytes

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
  check_query("ageQuery", signal.age_query, checks);
  checks.expect(signal.query || signal.age_query.empty(), "ageQuery",
                "must stand beside query only: a counter's samples show their age");
  checks.expect(signal.query || !signal.includes_baseline, "includesBaseline",
                "must stand beside query only: counters are read from the baseline's pods as well");
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

void check_baseline(const BaselineSpec& baseline, Checks checks) {
  checks.expect(baseline.requests_per_replica > 0, "requestsPerReplica",
                "is 0, must be a quantity above 0");
}

}  // namespace

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
    checks.expect(!spec.baseline || !signal.query || signal.includes_baseline, field,
                  "must set includesBaseline, or be a counter, since spec.baseline is set");
  }
  if (spec.baseline) {
    check_baseline(*spec.baseline, Checks(checks.path() + ".baseline", checks.problems()));
  }
  for (std::size_t i = 0; i < spec.schedules.size(); ++i) {
    checks.in_range("schedules[" + std::to_string(i) + "].minReplicas",
                    spec.schedules[i].min_replicas, 0, kMaxReplicas);
  }
}

}  // namespace scaledcache::k8s
