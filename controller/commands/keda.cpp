#include "controller/commands/keda.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "controller/commands/behavior.h"
#include "controller/commands/formula.h"
#include "controller/commands/keda_auth.h"

namespace scaledcache::controller {
namespace {

constexpr std::int64_t kDefaultPoll = 30;  // seconds, KEDA's
constexpr std::int64_t kDefaultMost = 100;
constexpr std::string_view kOneBackend =
    "a ScaledCache asks one backend, and another trigger named a different one first";

std::string text_of(const Json& metadata, const char* key) {
  return string_member(metadata, key);
}

// "a=1,b=2", as KEDA writes maps into its metadata.
std::map<std::string, std::string> pairs_of(std::string_view text) {
  std::map<std::string, std::string> pairs;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view pair = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const std::size_t equals = pair.find('=');
    if (equals != std::string_view::npos) {
      std::string name(pair.substr(0, equals));
      std::erase(name, ' ');
      pairs.emplace(std::move(name), pair.substr(equals + 1));
    }
  }
  return pairs;
}

// What strconv.ParseBool takes for true; anything that is no boolean pauses KEDA as well.
bool is_true(const std::string& text) {
  constexpr std::array<std::string_view, 6> kFalse{"0", "f", "F", "false", "False", "FALSE"};
  return std::find(kFalse.begin(), kFalse.end(), text) == kFalse.end();
}

std::string dns_label(const std::string& text) {
  std::string label;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool fits = std::isalnum(byte) != 0;
    if (fits || (!label.empty() && label.back() != '-')) {
      label += fits ? static_cast<char>(std::tolower(byte)) : '-';
    }
  }
  label.resize(std::min<std::size_t>(label.size(), 63));
  while (label.ends_with('-')) {
    label.pop_back();
  }
  return label;
}

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
    carry_triggers();
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

  void carry_triggers() {
    const Json* triggers = find_member(*spec_, "triggers");
    if (triggers == nullptr || !triggers->is_array()) {
      return;
    }
    for (std::size_t i = 0; i < triggers->size(); ++i) {
      const Json& trigger = (*triggers)[i];
      const std::string path = "spec.triggers[" + std::to_string(i) + "]";
      const std::string type = string_member(trigger, "type");
      const Json* metadata = find_member(trigger, "metadata");
      const Json& fields = metadata != nullptr && metadata->is_object() ? *metadata : nothing_;
      if (type == "prometheus") {
        carry_prometheus(trigger, fields, path);
      } else if (type == "cron") {
        carry_cron(fields, path);
      } else {
        draft_.ledger.drop(path, "triggers of type " + type + " do not count requests");
      }
    }
  }

  void carry_cron(const Json& fields, const std::string& path) {
    OrderedJson schedule = {
        {"start", text_of(fields, "start")},
        {"end", text_of(fields, "end")},
        {"timeZone", text_of(fields, "timezone")},
        {"minReplicas", count_of(find_member(fields, "desiredReplicas")).value_or(0)}};
    draft_.spec["schedules"].push_back(std::move(schedule));
    draft_.ledger.carry(path);
    draft_.ledger.drop(path + ".name", "schedules have no names");
    for (const auto& [key, value] : fields.items()) {
      constexpr std::array<std::string_view, 4> kKnown{"start", "end", "timezone",
                                                       "desiredReplicas"};
      if (std::find(kKnown.begin(), kKnown.end(), key) == kKnown.end()) {
        draft_.ledger.drop(path + ".metadata." + key, "this version does not know the field");
      }
    }
  }

  void carry_prometheus(const Json& trigger, const Json& fields, const std::string& path) {
    const std::string metric_type = string_member(trigger, "metricType");
    if (!metric_type.empty() && metric_type != "AverageValue") {
      draft_.ledger.drop(path, "metricType " + metric_type +
                                   " compares the whole rate with the threshold, not the rate of "
                                   "one replica");
      return;
    }
    OrderedJson backend = backend_of(fields);
    const std::size_t chores = draft_.chores.size();
    carry_trigger_auth(trigger, path, all_, backend, draft_);
    allow_plain_http(backend);
    if (draft_.spec.contains("backend") && draft_.spec["backend"] != backend) {
      draft_.chores.resize(chores);
      draft_.ledger.drop(path, std::string(kOneBackend));
      draft_.ledger.drop(path + ".authenticationRef", std::string(kOneBackend));
      draft_.ledger.drop(path + ".metadata.authModes", std::string(kOneBackend));
      return;
    }
    draft_.spec["backend"] = std::move(backend);
    carry_signal(trigger, fields, path);
    mark_prometheus(fields, path);
  }

  [[nodiscard]] static OrderedJson backend_of(const Json& fields) {
    OrderedJson backend = OrderedJson::object();
    backend["address"] = text_of(fields, "serverAddress");
    for (const auto& [name, value] : pairs_of(text_of(fields, "customHeaders"))) {
      backend["headers"][name] = value;
    }
    if (const std::string tenant = text_of(fields, "cortexOrgID"); !tenant.empty()) {
      backend["headers"]["X-Scope-OrgID"] = tenant;
    }
    if (const std::string space = text_of(fields, "namespace"); !space.empty()) {
      backend["queryParameters"]["namespace"] = space;
    }
    for (const auto& [name, value] : pairs_of(text_of(fields, "queryParameters"))) {
      backend["queryParameters"][name] = value;
    }
    if (const Json* timeout = find_member(fields, "timeout")) {
      const auto milliseconds = count_of(timeout);
      backend["timeout"] =
          milliseconds ? std::to_string(*milliseconds) + "ms" : text_of(fields, "timeout");
    }
    if (find_member(fields, "unsafeSsl") != nullptr && is_true(text_of(fields, "unsafeSsl"))) {
      backend["tls"]["insecureSkipVerify"] = true;
    }
    return backend;
  }

  // KEDA sends credentials anywhere; a ScaledCache wants to be told. Neither has use for TLS there.
  void allow_plain_http(OrderedJson& backend) {
    if (!backend.value("address", std::string()).starts_with("http:")) {
      return;
    }
    backend.erase("tls");
    if (backend.contains("auth")) {
      backend["auth"]["allowInsecure"] = true;
      draft_.comment("spec.backend.auth.allowInsecure",
                     "the address is plain http: anybody on the way can read the credentials");
    }
  }

  void carry_signal(const Json& trigger, const Json& fields, const std::string& path) {
    const std::string given = string_member(trigger, "name");
    std::string name = dns_label(given);
    name = name.empty() ? "requests" : name;
    for (int i = 2; !names_.insert(name).second; ++i) {
      name = (given.empty() ? "requests" : dns_label(given)) + "-" + std::to_string(i);
    }
    OrderedJson signal = {{"name", name}, {"query", text_of(fields, "query")}};
    if (const auto threshold = quantity_of(find_member(fields, "threshold"))) {
      signal["requestsPerReplica"] = quantity_text(*threshold);
    }
    if (const auto activation = quantity_of(find_member(fields, "activationThreshold"));
        activation && *activation > 0) {
      signal["activationRate"] = quantity_text(*activation);
    }
    if (!given.empty()) {
      queries_[given] = text_of(fields, "query");
    }
    const std::string place =
        "spec.signals[" + std::to_string(draft_.spec.value("signals", OrderedJson()).size()) + "]";
    draft_.comment(place + ".query",
                   "a counter instead shows each pod's own samples: see the docs");
    draft_.spec["signals"].push_back(std::move(signal));
    draft_.ledger.carry(path + ".name");
  }

  void mark_prometheus(const Json& fields, const std::string& path) {
    for (const char* key : {"type", "metricType", "useCachedMetrics"}) {
      draft_.ledger.carry(path + "." + key);
    }
    for (const char* key :
         {"serverAddress", "query", "threshold", "activationThreshold", "namespace",
          "customHeaders", "queryParameters", "timeout", "unsafeSsl", "cortexOrgID"}) {
      draft_.ledger.carry(path + ".metadata." + key);
    }
    const std::string nulls = text_of(fields, "ignoreNullValues");
    if (!nulls.empty() && !is_true(nulls)) {
      draft_.ledger.carry(path + ".metadata.ignoreNullValues");
    } else {
      draft_.ledger.drop(path + ".metadata.ignoreNullValues",
                         "missing data is never 0 here: the count holds, and the fallback comes "
                         "after failureGrace");
    }
    for (const char* key : {"awsRegion", "identityOwner"}) {
      draft_.ledger.drop(path + ".metadata." + key,
                         "an identity of the cloud: put a proxy that knows it in front of the "
                         "backend");
    }
    draft_.ledger.drop(path + ".metadata.metricName", "KEDA itself does not read it any more");
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
        draft_.metadata["annotations"][known.ours] = is_true(text) ? "true" : "false";
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
  std::set<std::string> names_;
  std::map<std::string, std::string> queries_;  // by the names that triggers have themselves
};

}  // namespace

Draft draft_of_scaled_object(const Document& source, std::span<const Document> all) {
  return ScaledObject(source, all).convert();
}

}  // namespace scaledcache::controller
