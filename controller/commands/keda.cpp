#include "controller/commands/keda.h"

#include <algorithm>
#include <array>
#include <map>

#include "controller/commands/behavior.h"
#include "controller/commands/formula.h"
#include "controller/commands/keda_triggers.h"

namespace scaledcache::controller {
namespace {

constexpr std::int64_t kDefaultPoll = 30;  // seconds, KEDA's
constexpr std::int64_t kDefaultMost = 100;

class ScaledObject {
 public:
  ScaledObject(const Document& source, std::span<const Document> all)
      : all_(all), draft_(begin_draft(source, "keda.sh")) {
    const Json* spec = find_member(source.value, "spec");
    spec_ = spec != nullptr && spec->is_object() ? spec : &nothing_;
    annotations_ = member_at(source.value, {"metadata", "annotations"});
  }

  Draft convert() {
    carry_target();
    carry_bounds();
    carry_times();
    carry_fallback();
    queries_ = carry_triggers(*spec_, all_, draft_);
    carry_advanced();
    carry_annotations();
    return std::move(draft_);
  }

 private:
  void carry_target() {
    const Json* target = find_member(*spec_, "scaleTargetRef");
    OrderedJson& ref = draft_.spec["scaleTargetRef"] = OrderedJson::object();
    for (const char* key : {"apiVersion", "kind", "name"}) {
      if (target != nullptr && target->is_object() && !string_member(*target, key).empty()) {
        ref[key] = string_member(*target, key);
      }
      draft_.ledger.carry(std::string("spec.scaleTargetRef.") + key);
    }
    draft_.ledger.drop("spec.scaleTargetRef.envSourceContainerName",
                       "nothing is read from the environment of the target's containers");
  }

  void carry_bounds() {
    const auto least = count_of(find_member(*spec_, "minReplicaCount"));
    const auto idle = count_of(find_member(*spec_, "idleReplicaCount"));
    const bool sleeps = idle == 0 && least.value_or(0) <= 1;
    draft_.spec["minReplicas"] = sleeps ? 0 : least.value_or(0);
    draft_.spec["maxReplicas"] =
        count_of(find_member(*spec_, "maxReplicaCount")).value_or(kDefaultMost);
    if (!least) {
      draft_.comment("spec.minReplicas", "KEDA's default; a fleet of caches is better off with 2");
    }
    draft_.ledger.carry("spec.minReplicaCount");
    draft_.ledger.carry("spec.maxReplicaCount");
    if (sleeps) {
      draft_.ledger.carry("spec.idleReplicaCount");
    } else {
      draft_.ledger.drop("spec.idleReplicaCount",
                         "from 0 a ScaledCache grows to what the load needs, not to a minimum: it "
                         "stays at minReplicas");
    }
  }

  void carry_times() {
    if (const auto poll = count_of(find_member(*spec_, "pollingInterval"))) {
      draft_.spec["pollInterval"] = seconds_text(std::clamp<std::int64_t>(*poll, 1, 600));
      draft_.comment("spec.pollInterval", "growth waits for it; the default is 5s");
      draft_.ledger.carry("spec.pollingInterval");
    }
    const auto cooldown = count_of(find_member(*spec_, "cooldownPeriod"));
    const auto first = count_of(find_member(*spec_, "initialCooldownPeriod"));
    if (cooldown) {
      draft_.spec["cooldown"] = seconds_text(std::clamp<std::int64_t>(*cooldown, 0, 86'400));
      draft_.comment("spec.cooldown", "before every shrink, not only to 0 as in KEDA");
      draft_.ledger.carry("spec.cooldownPeriod");
    }
    if (first && *first <= cooldown.value_or(300)) {
      draft_.ledger.carry("spec.initialCooldownPeriod");
    } else {
      draft_.ledger.drop("spec.initialCooldownPeriod",
                         "a new ScaledCache does not shrink in its first cooldown, and that is "
                         "shorter");
    }
  }

  void carry_fallback() {
    const Json* fallback = find_member(*spec_, "fallback");
    if (fallback == nullptr || !fallback->is_object()) {
      return;
    }
    const std::string behavior = string_member(*fallback, "behavior");
    OrderedJson& into = draft_.spec["fallback"];
    into["behavior"] = behavior == "currentReplicas"           ? "Hold"
                       : behavior == "currentReplicasIfHigher" ? "CurrentOrHigher"
                       : behavior == "currentReplicasIfLower"  ? "CurrentOrLower"
                                                               : "Static";
    if (const auto replicas = count_of(find_member(*fallback, "replicas"))) {
      into["replicas"] = *replicas;
    }
    const std::int64_t poll =
        count_of(find_member(*spec_, "pollingInterval")).value_or(kDefaultPoll);
    const std::int64_t failures = integer_member(*fallback, "failureThreshold", 3);
    draft_.spec["failureGrace"] =
        seconds_text(std::clamp<std::int64_t>(failures * poll, 0, 86'400));
    draft_.comment("spec.failureGrace",
                   std::to_string(failures) + " polls of " + std::to_string(poll) + "s");
    draft_.ledger.carry("spec.fallback");
  }

  void carry_advanced() {
    const Json* advanced = find_member(*spec_, "advanced");
    if (advanced == nullptr || !advanced->is_object()) {
      return;
    }
    const std::string path = "spec.advanced";
    if (const Json* restore = find_member(*advanced, "restoreToOriginalReplicaCount");
        restore != nullptr && restore->is_boolean()) {
      draft_.spec["restoreReplicasOnDelete"] = restore->get<bool>();
      draft_.ledger.carry(path + ".restoreToOriginalReplicaCount");
    }
    const std::string config = path + ".horizontalPodAutoscalerConfig";
    draft_.ledger.drop(config + ".name", "there is no HorizontalPodAutoscaler any more");
    if (const Json* behavior =
            member_at(*advanced, {"horizontalPodAutoscalerConfig", "behavior"})) {
      carry_behavior(*behavior, config + ".behavior", draft_);
    }
    if (const Json* modifiers = find_member(*advanced, "scalingModifiers");
        modifiers != nullptr && modifiers->is_object() && !modifiers->empty()) {
      carry_modifiers(*modifiers, path + ".scalingModifiers");
    }
  }

  // One composite signal instead of all others, as KEDA does.
  void carry_modifiers(const Json& modifiers, const std::string& path) {
    const auto query = query_of_formula(string_member(modifiers, "formula"), queries_);
    const auto target = quantity_of(find_member(modifiers, "target"));
    const std::string type = string_member(modifiers, "metricType");
    if (!query || !target || type == "Value") {
      draft_.ledger.drop(path,
                         "only sums, differences, products and quotients of named triggers "
                         "with an AverageValue target become one query");
      return;
    }
    OrderedJson signal = {
        {"name", "composite"}, {"query", *query}, {"requestsPerReplica", quantity_text(*target)}};
    if (const auto activation = quantity_of(find_member(modifiers, "activationTarget"))) {
      signal["activationRate"] = quantity_text(*activation);
    }
    draft_.spec["signals"] = OrderedJson::array({std::move(signal)});
    draft_.comment("spec.signals[0].query", "scalingModifiers.formula, with the triggers' queries");
    draft_.ledger.carry(path);
  }

  void carry_annotations() {
    if (annotations_ == nullptr || !annotations_->is_object()) {
      return;
    }

    struct Known {
      const char* theirs;
      const char* ours;
    };

    constexpr std::array kSwitches{
        Known{"autoscaling.keda.sh/paused", "scaledcache.io/paused"},
        Known{"autoscaling.keda.sh/paused-scale-in", "scaledcache.io/paused-scale-down"},
        Known{"autoscaling.keda.sh/paused-scale-down", "scaledcache.io/paused-scale-down"},
        Known{"autoscaling.keda.sh/paused-scale-out", "scaledcache.io/paused-scale-up"},
        Known{"autoscaling.keda.sh/force-activation", "scaledcache.io/force-activation"}};
    for (const Known& known : kSwitches) {
      if (const Json* value = find_member(*annotations_, known.theirs)) {
        const std::string text = value->is_string() ? value->get<std::string>() : value->dump();
        draft_.metadata["annotations"][known.ours] = is_keda_true(text) ? "true" : "false";
        draft_.ledger.carry(std::string("metadata.annotations.") + known.theirs);
      }
    }
    if (const auto count =
            count_of(find_member(*annotations_, "autoscaling.keda.sh/paused-replicas"))) {
      draft_.metadata["annotations"]["scaledcache.io/paused-replicas"] = std::to_string(*count);
      draft_.ledger.carry("metadata.annotations.autoscaling.keda.sh/paused-replicas");
    }
  }

  const Json nothing_ = Json::object();
  std::span<const Document> all_;
  Draft draft_;
  const Json* spec_ = &nothing_;
  const Json* annotations_ = nullptr;
  std::map<std::string, std::string> queries_;  // by the names that triggers have themselves
};

}  // namespace

Draft draft_of_scaled_object(const Document& source, std::span<const Document> all) {
  return ScaledObject(source, all).convert();
}

}  // namespace scaledcache::controller
