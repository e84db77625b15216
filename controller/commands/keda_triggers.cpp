#include "controller/commands/keda_triggers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "controller/commands/keda_auth.h"

namespace scaledcache::controller {
namespace {

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

class Triggers {
 public:
  Triggers(std::span<const Document> all, Draft& draft) : all_(all), draft_(draft) {}

  // The queries of the triggers that have a name.
  std::map<std::string, std::string> carry(const Json& spec) {
    const Json* triggers = find_member(spec, "triggers");
    if (triggers == nullptr || !triggers->is_array()) {
      return {};
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
    return std::move(queries_);
  }

 private:
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
    draft_.comment(place + ".query", "a preset or counter would see each pod and its age");
    draft_.spec["signals"].push_back(std::move(signal));
    draft_.ledger.carry(path + ".name");
  }

  void mark_prometheus(const Json& fields, const std::string& path) {
    for (const char* key : {"type", "metricType", "useCachedMetrics"}) {
      draft_.ledger.carry(path + "." + key);
    }
    for (const char* key :
         {"serverAddress", "query", "threshold", "activationThreshold", "namespace",
          "customHeaders", "queryParameters", "timeout", "cortexOrgID"}) {
      draft_.ledger.carry(path + ".metadata." + key);
    }
    const std::string nulls = text_of(fields, "ignoreNullValues");
    if (!nulls.empty() && !is_keda_true(nulls)) {
      draft_.ledger.carry(path + ".metadata.ignoreNullValues");
    } else {
      draft_.ledger.drop(path + ".metadata.ignoreNullValues",
                         "missing data is never 0 here: the count holds, and the fallback comes "
                         "after failureGrace");
    }
    if (is_keda_true(text_of(fields, "unsafeSsl"))) {
      draft_.ledger.drop(path + ".metadata.unsafeSsl",
                         "certificates are always checked: name the backend's authority in "
                         "spec.backend.tls.caRef");
    } else {
      draft_.ledger.carry(path + ".metadata.unsafeSsl");
    }
    for (const char* key : {"awsRegion", "identityOwner"}) {
      draft_.ledger.drop(path + ".metadata." + key,
                         "an identity of the cloud: put a proxy that knows it in front of the "
                         "backend");
    }
    draft_.ledger.drop(path + ".metadata.metricName", "KEDA itself does not read it any more");
  }

  const Json nothing_ = Json::object();
  std::span<const Document> all_;
  Draft& draft_;
  std::set<std::string> names_;
  std::map<std::string, std::string> queries_;
};

}  // namespace

bool is_keda_true(const std::string& text) {
  constexpr std::array<std::string_view, 6> kFalse{"0", "f", "F", "false", "False", "FALSE"};
  return std::find(kFalse.begin(), kFalse.end(), text) == kFalse.end();
}

std::map<std::string, std::string> carry_triggers(const Json& spec,
                                                  std::span<const Document> all,
                                                  Draft& draft) {
  return Triggers(all, draft).carry(spec);
}

}  // namespace scaledcache::controller
