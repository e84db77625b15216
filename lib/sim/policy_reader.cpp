#include "sim/policy_reader.h"

#include <algorithm>
#include <array>

#include "base/zone.h"

namespace scaledcache::sim {
namespace {

using core::Policy;
using core::SignalPolicy;

constexpr int kMostReplicas = 1'000'000;
constexpr Milliseconds kDay = std::chrono::hours{24};

struct Signal {
  SignalPolicy policy;
  SignalQueries queries;
};

bool shows_uptime(const Value& preset) {
  const auto& names = presets_with_uptime();
  return std::find(names.begin(), names.end(), preset.text()) != names.end();
}

constexpr std::array kSignalFields{
    FieldOf<Signal>{"name", [](const Value& v, Signal& s) { s.policy.name = v.text(); }},
    FieldOf<Signal>{"preset",
                    [](const Value& v, Signal& s) { s.queries.shows_uptime = shows_uptime(v); }},
    FieldOf<Signal>{"counter", nullptr},
    FieldOf<Signal>{"query",
                    [](const Value&, Signal& s) { s.policy.kind = core::SignalKind::Query; }},
    FieldOf<Signal>{"ageQuery", [](const Value&, Signal& s) { s.queries.has_age = true; }},
    FieldOf<Signal>{"includesBaseline",
                    [](const Value& v, Signal& s) { s.policy.includes_baseline = v.boolean(); }},
    FieldOf<Signal>{"podLabel", [](const Value& v, Signal& s) { s.policy.pod_label = v.text(); }},
    FieldOf<Signal>{"namespaceLabel", nullptr},
    FieldOf<Signal>{
        "requestsPerReplica",
        [](const Value& v, Signal& s) { s.policy.requests_per_replica = v.quantity(); }},
    FieldOf<Signal>{
        "targetUtilizationPercent",
        [](const Value& v, Signal& s) { s.policy.target_utilization_percent = v.integer(1, 100); }},
    FieldOf<Signal>{"activationRate",
                    [](const Value& v, Signal& s) { s.policy.activation_rate = v.quantity(); }},
    FieldOf<Signal>{"saturationQuery",
                    [](const Value& v, Signal& s) {
                      s.queries.saturation = v.text();
                      s.policy.saturation = core::saturation_kind_of(s.queries.saturation);
                    }},
};

Signal read_signal(const Value& value) {
  Signal signal;
  read_map(value, kSignalFields, signal);
  const bool query = value.has("query");
  if (query && (value.has("preset") || value.has("counter"))) {
    value.fail("has a query beside a preset or counter: one of them is enough");
  }
  if (!value.has("requestsPerReplica")) {
    value.fail("requestsPerReplica is required");
  } else if (signal.policy.requests_per_replica <= 0) {
    value.at("requestsPerReplica").fail("must be above 0");
  }
  return signal;
}

constexpr std::array kUpFields{
    FieldOf<Policy>{
        "tolerancePercent",
        [](const Value& v, Policy& p) { p.scale_up.tolerance_percent = v.integer(0, 100); }},
    FieldOf<Policy>{"maxFactor",
                    [](const Value& v, Policy& p) { p.scale_up.max_factor = v.integer(1, 1000); }},
    FieldOf<Policy>{
        "maxPods",
        [](const Value& v, Policy& p) { p.scale_up.max_pods = v.integer(1, kMostReplicas); }},
    FieldOf<Policy>{
        "lookAheadPercent",
        [](const Value& v, Policy& p) { p.scale_up.look_ahead_percent = v.integer(0, 100); }},
    FieldOf<Policy>{"headroom",
                    [](const Value& v, Policy& p) {
                      constexpr std::array<std::string_view, 2> kNames{"Learned", "None"};
                      p.scale_up.headroom = static_cast<core::Headroom>(v.one_of(kNames));
                    }},
    FieldOf<Policy>{
        "cooldown",
        [](const Value& v, Policy& p) { p.scale_up.cooldown = v.duration(Milliseconds{0}, kDay); }},
};

constexpr std::array kDownFields{
    FieldOf<Policy>{
        "tolerancePercent",
        [](const Value& v, Policy& p) { p.scale_down.tolerance_percent = v.integer(0, 100); }},
    FieldOf<Policy>{
        "stepPercent",
        [](const Value& v, Policy& p) { p.scale_down.step_percent = v.integer(1, 100); }},
    FieldOf<Policy>{"interval",
                    [](const Value& v, Policy& p) {
                      p.scale_down.interval = v.duration(Milliseconds{0}, kDay);
                    }},
    FieldOf<Policy>{
        "patiencePercent",
        [](const Value& v, Policy& p) { p.scale_down.patience_percent = v.integer(0, 100); }},
    FieldOf<Policy>{"outageHold",
                    [](const Value& v, Policy& p) { p.scale_down.outage_hold = v.integer(1, 4); }},
};

constexpr std::array kFallbackFields{
    FieldOf<Policy>{"behavior",
                    [](const Value& v, Policy& p) {
                      constexpr std::array<std::string_view, 5> kNames{
                          "Hold", "Static", "CurrentOrHigher", "CurrentOrLower", "Maximum"};
                      p.fallback.behavior = static_cast<core::FallbackBehavior>(v.one_of(kNames));
                    }},
    FieldOf<Policy>{
        "replicas",
        [](const Value& v, Policy& p) { p.fallback.replicas = v.integer(0, kMostReplicas); }},
};

void read_fallback(const Value& value, Policy& policy) {
  read_map(value, kFallbackFields, policy);
  const bool needs = policy.fallback.behavior != core::FallbackBehavior::Hold &&
                     policy.fallback.behavior != core::FallbackBehavior::Maximum;
  if (needs && !value.has("replicas")) {
    value.fail("replicas is required for this behavior");
  }
}

constexpr std::array kBaselineFields{
    FieldOf<Policy>{"selector", nullptr},
    FieldOf<Policy>{
        "requestsPerReplica",
        [](const Value& v, Policy& p) { p.baseline = core::BaselinePolicy{v.quantity()}; }},
};

core::Cron read_cron(const Value& value) {
  const auto cron = core::parse_cron(value.text());
  if (!cron) {
    value.fail(cron.error().message);
    return {};
  }
  return *cron;
}

constexpr std::array kScheduleFields{
    FieldOf<core::Schedule>{"start",
                            [](const Value& v, core::Schedule& s) { s.start = read_cron(v); }},
    FieldOf<core::Schedule>{"end", [](const Value& v, core::Schedule& s) { s.end = read_cron(v); }},
    FieldOf<core::Schedule>{"timeZone",
                            [](const Value& v, core::Schedule& s) {
                              const auto zone = load_zone(v.text());
                              if (!zone) {
                                v.fail(zone.error().message);
                                return;
                              }
                              s.zone = *zone;
                            }},
    FieldOf<core::Schedule>{
        "minReplicas",
        [](const Value& v, core::Schedule& s) { s.min_replicas = v.integer(0, kMostReplicas); }},
};

void read_schedules(const Value& value, Policy& policy) {
  for (const Value& item : value.items()) {
    core::Schedule schedule;
    read_map(item, kScheduleFields, schedule);
    for (const char* key : {"start", "end", "minReplicas"}) {
      if (!item.has(key)) {
        item.fail(std::string(key) + " is required");
      }
    }
    policy.schedules.push_back(std::move(schedule));
  }
}

void read_signals(const Value& value, ReadPolicy& into) {
  for (const Value& item : value.items()) {
    Signal signal = read_signal(item);
    for (const SignalPolicy& other : into.policy.signals) {
      if (other.name == signal.policy.name) {
        item.fail("the name " + other.name + " is taken by another signal");
      }
    }
    into.policy.signals.push_back(std::move(signal.policy));
    into.queries.push_back(std::move(signal.queries));
  }
}

constexpr std::array kFields{
    FieldOf<ReadPolicy>{
        "minReplicas",
        [](const Value& v, ReadPolicy& p) { p.policy.min_replicas = v.integer(0, kMostReplicas); }},
    FieldOf<ReadPolicy>{
        "maxReplicas",
        [](const Value& v, ReadPolicy& p) { p.policy.max_replicas = v.integer(1, kMostReplicas); }},
    FieldOf<ReadPolicy>{"pollInterval",
                        [](const Value& v, ReadPolicy& p) {
                          p.policy.poll_interval =
                              v.duration(Milliseconds{1'000}, std::chrono::minutes{10});
                        }},
    FieldOf<ReadPolicy>{"shortWindow",
                        [](const Value& v, ReadPolicy& p) {
                          p.policy.short_window =
                              v.duration(Milliseconds{5'000}, std::chrono::hours{1});
                        }},
    FieldOf<ReadPolicy>{"longWindow",
                        [](const Value& v, ReadPolicy& p) {
                          p.policy.long_window = v.duration(Milliseconds{5'000}, kDay);
                        }},
    FieldOf<ReadPolicy>{"cooldown",
                        [](const Value& v, ReadPolicy& p) {
                          p.policy.cooldown = v.duration(Milliseconds{0}, kDay);
                        }},
    FieldOf<ReadPolicy>{"signals", [](const Value& v, ReadPolicy& p) { read_signals(v, p); }},
    FieldOf<ReadPolicy>{
        "baseline", [](const Value& v, ReadPolicy& p) { read_map(v, kBaselineFields, p.policy); }},
    FieldOf<ReadPolicy>{"schedules",
                        [](const Value& v, ReadPolicy& p) { read_schedules(v, p.policy); }},
    FieldOf<ReadPolicy>{"scaleUp",
                        [](const Value& v, ReadPolicy& p) { read_map(v, kUpFields, p.policy); }},
    FieldOf<ReadPolicy>{"scaleDown",
                        [](const Value& v, ReadPolicy& p) { read_map(v, kDownFields, p.policy); }},
    FieldOf<ReadPolicy>{"fallback",
                        [](const Value& v, ReadPolicy& p) { read_fallback(v, p.policy); }},
    FieldOf<ReadPolicy>{"failureGrace",
                        [](const Value& v, ReadPolicy& p) {
                          p.policy.failure_grace = v.duration(Milliseconds{0}, kDay);
                        }},
    FieldOf<ReadPolicy>{"maxSampleAge",
                        [](const Value& v, ReadPolicy& p) {
                          p.policy.max_sample_age = v.duration(Milliseconds{5'000}, kDay);
                        }},
    FieldOf<ReadPolicy>{"dryRun",
                        [](const Value& v, ReadPolicy& p) { p.policy.dry_run = v.boolean(); }},
    // Known, and nothing that a simulated fleet has.
    FieldOf<ReadPolicy>{"scaleTargetRef", nullptr},
    FieldOf<ReadPolicy>{"backend", nullptr},
    FieldOf<ReadPolicy>{"warmup", nullptr},
    FieldOf<ReadPolicy>{"drain", nullptr},
    FieldOf<ReadPolicy>{"guards", nullptr},
    FieldOf<ReadPolicy>{"restoreReplicasOnDelete", nullptr},
};

// What no single field can see.
void check_sense(const Value& spec, const Policy& policy) {
  if (!spec.has("maxReplicas")) {
    spec.fail("maxReplicas is required");
  } else if (policy.min_replicas > policy.max_replicas) {
    spec.at("minReplicas").fail("must not be above maxReplicas");
  }
  if (policy.short_window > policy.long_window) {
    spec.at("longWindow").fail("must not be shorter than shortWindow");
  }
  if (policy.signals.empty() || policy.signals.size() > 8) {
    spec.fail("signals must be 1 to 8");
  }
  for (const SignalPolicy& signal : policy.signals) {
    const bool counter = signal.kind == core::SignalKind::Counter;
    if (policy.min_replicas == 0 && counter) {
      spec.at("minReplicas").fail("may be 0 only with query signals");
    }
    if (policy.baseline && !counter && !signal.includes_baseline) {
      spec.at("baseline").fail("needs counters, or queries marked includesBaseline");
    }
  }
}

}  // namespace

const std::vector<std::string_view>& presets_with_uptime() {
  static const std::vector<std::string_view> names{"Varnish", "Envoy", "HAProxy", "Redis",
                                                   "Memcached"};
  return names;
}

ReadPolicy read_policy(const Value& spec) {
  ReadPolicy read;
  read_map(spec, kFields, read);
  if (spec.is_map()) {
    check_sense(spec, read.policy);
  }
  return read;
}

YAML::Node merged(const YAML::Node& base, const YAML::Node& edit) {
  if (!base.IsMap() || !edit.IsMap()) {
    return YAML::Clone(edit);
  }
  YAML::Node result = YAML::Clone(base);
  for (const auto& entry : edit) {
    const std::string key = entry.first.Scalar();
    if (entry.second.IsNull()) {
      result.remove(key);
    } else if (result[key].IsDefined()) {
      result[key] = merged(result[key], entry.second);
    } else {
      result[key] = YAML::Clone(entry.second);
    }
  }
  return result;
}

}  // namespace scaledcache::sim
