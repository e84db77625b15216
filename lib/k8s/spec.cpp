#include "k8s/spec.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "k8s/object_reader.h"

namespace scaledcache::k8s {
namespace {

constexpr std::array kBehaviors{
    std::pair{std::string_view("Hold"), FallbackBehavior::Hold},
    std::pair{std::string_view("Static"), FallbackBehavior::Static},
    std::pair{std::string_view("CurrentOrHigher"), FallbackBehavior::CurrentOrHigher},
    std::pair{std::string_view("CurrentOrLower"), FallbackBehavior::CurrentOrLower},
    std::pair{std::string_view("Maximum"), FallbackBehavior::Maximum},
};

struct Suffix {
  char letter;
  double factor;
};

constexpr std::array kSuffixes{Suffix{'m', 1e-3}, Suffix{'k', 1e3}, Suffix{'M', 1e6},
                               Suffix{'G', 1e9}};

ScaleTargetRef read_target(const Json& object, const std::string& path, Problems& problems) {
  ScaleTargetRef target;
  ObjectReader reader(object, path, problems);
  reader.require("name");
  reader.read("apiVersion", target.api_version);
  reader.read("kind", target.kind);
  reader.read("name", target.name);
  reader.refuse_unknown();
  return target;
}

void read_texts(ObjectReader& reader,
                std::string_view key,
                std::map<std::string, std::string>& texts) {
  const Json* field = reader.find(key);
  if (field == nullptr) {
    return;
  }
  if (!field->is_object()) {
    reader.add_problem(key, "is " + shown(*field) + ", must be an object of strings");
    return;
  }
  for (const auto& [name, value] : field->items()) {
    if (value.is_string()) {
      texts.emplace(name, value.get<std::string>());
    } else {
      reader.add_problem(std::string(key) + "[" + shown(name) + "]", "must be a string");
    }
  }
}

BackendSpec read_backend(const Json& object, const std::string& path, Problems& problems) {
  BackendSpec backend;
  ObjectReader reader(object, path, problems);
  reader.read("address", backend.address);
  read_texts(reader, "headers", backend.headers);
  read_texts(reader, "queryParameters", backend.query_parameters);
  reader.read("timeout", backend.timeout);
  reader.refuse_unknown();
  return backend;
}

CounterSpec read_counter(const Json& object, const std::string& path, Problems& problems) {
  CounterSpec counter;
  std::string matchers;
  ObjectReader reader(object, path, problems);
  reader.read("metric", counter.metric);
  reader.read("matchers", matchers);
  if (matchers.size() > kMaxMatchers) {
    reader.add_problem("matchers", "is longer than " + std::to_string(kMaxMatchers) + " bytes");
    return counter;
  }
  auto parsed = parse_label_matchers(matchers);
  if (parsed) {
    counter.matchers = *std::move(parsed);
  } else {
    reader.add_problem("matchers", "cannot be read: " + parsed.error().message);
  }
  reader.refuse_unknown();
  return counter;
}

SignalSpec read_signal(const Json& object, const std::string& path, Problems& problems) {
  SignalSpec signal;
  ObjectReader reader(object, path, problems);
  reader.read("name", signal.name);
  reader.read("preset", signal.preset);
  if (const Json* counter = reader.find("counter")) {
    signal.counter = read_counter(*counter, reader.path_of("counter"), problems);
  }
  reader.read("query", signal.query);
  reader.read("podLabel", signal.pod_label);
  reader.read("namespaceLabel", signal.namespace_label);
  reader.require("requestsPerReplica");
  reader.read_quantity("requestsPerReplica", signal.requests_per_replica);
  reader.read("targetUtilizationPercent", signal.target_utilization_percent);
  reader.read_quantity("activationRate", signal.activation_rate);
  reader.read("saturationQuery", signal.saturation_query);
  reader.refuse_unknown();
  return signal;
}

std::vector<SignalSpec> read_signals(const Json& list,
                                     const std::string& path,
                                     Problems& problems) {
  std::vector<SignalSpec> signals;
  if (!list.is_array()) {
    problems.push_back({path, "is " + shown(list) + ", must be a list"});
    return signals;
  }
  if (list.size() > kMaxSignals) {
    problems.push_back({path, "has " + std::to_string(list.size()) + " entries, must have 1 to " +
                                  std::to_string(kMaxSignals)});
    return signals;
  }
  for (const Json& entry : list) {
    const std::string entry_path = path + "[" + std::to_string(signals.size()) + "]";
    signals.push_back(read_signal(entry, entry_path, problems));
  }
  return signals;
}

ScaleUpSpec read_scale_up(const Json& object, const std::string& path, Problems& problems) {
  ScaleUpSpec up;
  std::string headroom = "Learned";
  ObjectReader reader(object, path, problems);
  reader.read("tolerancePercent", up.tolerance_percent);
  reader.read("maxFactor", up.max_factor);
  reader.read("maxPods", up.max_pods);
  reader.read("lookAheadPercent", up.look_ahead_percent);
  reader.read("headroom", headroom);
  if (headroom != "Learned" && headroom != "None") {
    reader.add_problem("headroom", "is " + shown(headroom) + ", must be Learned or None");
  }
  up.headroom_learned = headroom != "None";
  reader.read("cooldown", up.cooldown);
  reader.refuse_unknown();
  return up;
}

ScaleDownSpec read_scale_down(const Json& object, const std::string& path, Problems& problems) {
  ScaleDownSpec down;
  ObjectReader reader(object, path, problems);
  reader.read("tolerancePercent", down.tolerance_percent);
  reader.read("stepPercent", down.step_percent);
  reader.read("interval", down.interval);
  reader.read("patiencePercent", down.patience_percent);
  reader.read("outageHold", down.outage_hold);
  reader.refuse_unknown();
  return down;
}

FallbackSpec read_fallback(const Json& object, const std::string& path, Problems& problems) {
  FallbackSpec fallback;
  std::string behavior = "Hold";
  ObjectReader reader(object, path, problems);
  reader.read("behavior", behavior);
  bool found = false;
  for (const auto& [name, value] : kBehaviors) {
    if (name == behavior) {
      fallback.behavior = value;
      found = true;
    }
  }
  if (!found) {
    reader.add_problem("behavior",
                       "is " + shown(behavior) +
                           ", must be Hold, Static, CurrentOrHigher, CurrentOrLower or Maximum");
  }
  reader.read("replicas", fallback.replicas);
  reader.refuse_unknown();
  return fallback;
}

// Reads the object under `key` with `read_part`, where it is there.
template <class Part>
void read_nested(ObjectReader& reader,
                 std::string_view key,
                 Part (*read_part)(const Json&, const std::string&, Problems&),
                 Part& part,
                 Problems& problems) {
  if (const Json* field = reader.find(key)) {
    part = read_part(*field, reader.path_of(key), problems);
  }
}

}  // namespace

std::string_view name_of(FallbackBehavior behavior) {
  for (const auto& [name, value] : kBehaviors) {
    if (value == behavior) {
      return name;
    }
  }
  return "Hold";
}

std::optional<double> parse_quantity(std::string_view text) {
  constexpr std::size_t kMaxLength = 16;
  if (text.empty() || text.size() > kMaxLength || text.front() < '0' || text.front() > '9') {
    return std::nullopt;
  }
  double factor = 1;
  for (const Suffix& suffix : kSuffixes) {
    if (text.back() == suffix.letter) {
      factor = suffix.factor;
      text.remove_suffix(1);
      break;
    }
  }
  double number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (parsed.ec != std::errc{} || parsed.ptr != end || text.back() == '.') {
    return std::nullopt;
  }
  return number * factor;
}

Spec spec_from_json(const Json& object, const std::string& path, Problems& problems) {
  Spec spec;
  ObjectReader reader(object, path, problems);
  reader.require("scaleTargetRef");
  read_nested(reader, "scaleTargetRef", read_target, spec.target, problems);
  reader.read("minReplicas", spec.min_replicas);
  reader.require("maxReplicas");
  reader.read("maxReplicas", spec.max_replicas);
  reader.read("pollInterval", spec.poll_interval);
  reader.read("shortWindow", spec.short_window);
  reader.read("longWindow", spec.long_window);
  reader.read("cooldown", spec.cooldown);
  read_nested(reader, "backend", read_backend, spec.backend, problems);
  reader.require("signals");
  read_nested(reader, "signals", read_signals, spec.signals, problems);
  read_nested(reader, "scaleUp", read_scale_up, spec.scale_up, problems);
  read_nested(reader, "scaleDown", read_scale_down, spec.scale_down, problems);
  read_nested(reader, "fallback", read_fallback, spec.fallback, problems);
  reader.read("failureGrace", spec.failure_grace);
  reader.read("maxSampleAge", spec.max_sample_age);
  reader.read("dryRun", spec.dry_run);
  reader.refuse_unknown();
  return spec;
}

}  // namespace scaledcache::k8s
