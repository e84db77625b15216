#include "k8s/spec.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "k8s/object_reader.h"
#include "k8s/spec_reader.h"

namespace scaledcache::k8s {
namespace {

using core::Headroom;

constexpr std::array kBehaviors{
    std::pair{std::string_view("Hold"), FallbackBehavior::Hold},
    std::pair{std::string_view("Static"), FallbackBehavior::Static},
    std::pair{std::string_view("CurrentOrHigher"), FallbackBehavior::CurrentOrHigher},
    std::pair{std::string_view("CurrentOrLower"), FallbackBehavior::CurrentOrLower},
    std::pair{std::string_view("Maximum"), FallbackBehavior::Maximum},
};

constexpr std::array kHeadrooms{
    std::pair{std::string_view("Learned"), Headroom::Learned},
    std::pair{std::string_view("None"), Headroom::None},
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
  target.name = read_required(reader, "name");
  reader.read("apiVersion", target.api_version);
  reader.read("kind", target.kind);
  reader.refuse_unknown();
  return target;
}

ScaleUpSpec read_scale_up(const Json& object, const std::string& path, Problems& problems) {
  ScaleUpSpec up;
  ObjectReader reader(object, path, problems);
  reader.read("tolerancePercent", up.tolerance_percent);
  reader.read("maxFactor", up.max_factor);
  reader.read("maxPods", up.max_pods);
  reader.read("lookAheadPercent", up.look_ahead_percent);
  read_choice(reader, "headroom", kHeadrooms, up.headroom);
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
  ObjectReader reader(object, path, problems);
  read_choice(reader, "behavior", kBehaviors, fallback.behavior);
  reader.read("replicas", fallback.replicas);
  reader.refuse_unknown();
  return fallback;
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

std::map<std::string, std::string> texts_of(const Json& object,
                                            const std::string& path,
                                            Problems& problems) {
  std::map<std::string, std::string> texts;
  if (!object.is_object()) {
    problems.push_back({path, "is " + shown(object) + ", must be an object of strings"});
    return texts;
  }
  for (const auto& [name, value] : object.items()) {
    if (value.is_string()) {
      texts.emplace(name, value.get<std::string>());
    } else {
      problems.push_back({path + "[" + shown(name) + "]", "must be a string"});
    }
  }
  return texts;
}

void read_texts(ObjectReader& reader,
                std::string_view key,
                std::map<std::string, std::string>& texts,
                Problems& problems) {
  read_nested(reader, key, texts_of, texts, problems);
}

std::string read_required(ObjectReader& reader, std::string_view key) {
  std::string text;
  reader.require(key);
  reader.read(key, text);
  return text;
}

KeyRef read_key_ref(const Json& object, const std::string& path, Problems& problems) {
  KeyRef ref;
  ObjectReader reader(object, path, problems);
  ref.name = read_required(reader, "name");
  ref.key = read_required(reader, "key");
  reader.refuse_unknown();
  return ref;
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
  read_list(
      reader, "signals", {1, kMaxSignals}, spec.signals,
      [&](const Json& entry, const std::string& at) { return read_signal(entry, at, problems); });
  read_nested(reader, "baseline", read_baseline, spec.baseline, problems);
  read_list(
      reader, "schedules", {0, kMaxSchedules}, spec.schedules,
      [&](const Json& entry, const std::string& at) { return read_schedule(entry, at, problems); });
  read_nested(reader, "scaleUp", read_scale_up, spec.scale_up, problems);
  read_nested(reader, "scaleDown", read_scale_down, spec.scale_down, problems);
  read_nested(reader, "fallback", read_fallback, spec.fallback, problems);
  reader.read("failureGrace", spec.failure_grace);
  reader.read("maxSampleAge", spec.max_sample_age);
  read_nested(reader, "warmup", read_warmup, spec.warmup, problems);
  read_nested(reader, "drain", read_drain, spec.drain, problems);
  read_nested(reader, "guards", read_guards, spec.guards, problems);
  reader.read("dryRun", spec.dry_run);
  reader.read("restoreReplicasOnDelete", spec.restore_replicas_on_delete);
  reader.refuse_unknown();
  return spec;
}

}  // namespace scaledcache::k8s
