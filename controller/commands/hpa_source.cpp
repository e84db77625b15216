#include "controller/commands/hpa_source.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "controller/commands/behavior.h"
#include "k8s/syntax.h"

namespace scaledcache::controller {
namespace {

// As exporters turn the labels of Kubernetes into those of Prometheus.
std::string label_of(std::string_view key) {
  std::string label;
  for (const char c : key) {
    label += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return label;
}

std::string in_quotes(std::string_view value) {
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      text += '\\';
    }
    text += c;
  }
  return text + "\"";
}

// A text as a regular expression that matches it.
std::string literal(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (std::string_view("\\.+*?()|[]{}^$").find(c) != std::string_view::npos) {
      safe += '\\';
    }
    safe += c;
  }
  return safe;
}

class Matchers {
 public:
  void add(const std::string& label, std::string_view op, std::string_view value) {
    text += (text.empty() ? "" : ",") + label_of(label) + std::string(op) + in_quotes(value);
  }

  void add_selector(const Json& selector) {
    if (const Json* labels = find_member(selector, "matchLabels")) {
      for (const auto& [key, value] : labels->items()) {
        add(key, "=", value.is_string() ? value.get<std::string>() : value.dump());
      }
    }
    if (const Json* expressions = find_member(selector, "matchExpressions")) {
      for (const Json& expression : *expressions) {
        add_expression(expression);
      }
    }
  }

  std::string text;

 private:
  void add_expression(const Json& expression) {
    const std::string key = string_member(expression, "key");
    const std::string op = string_member(expression, "operator");
    if (op == "Exists" || op == "DoesNotExist") {
      add(key, op == "Exists" ? "!=" : "=", "");
      return;
    }
    std::string any;
    if (const Json* values = find_member(expression, "values"); values != nullptr) {
      for (const Json& value : *values) {
        any += (any.empty() ? "" : "|") +
               literal(value.is_string() ? value.get<std::string>() : value.dump());
      }
    }
    add(key, op == "NotIn" ? "!~" : "=~", any);
  }
};

// Adapters show a counter x_total as x_per_second, and everything else under its own name.
std::string query_of(const std::string& metric, const std::string& matchers) {
  constexpr std::string_view kPerSecond = "_per_second";
  const std::string braces = matchers.empty() ? "" : "{" + matchers + "}";
  if (metric.ends_with(kPerSecond)) {
    const std::string series = metric.substr(0, metric.size() - kPerSecond.size()) + "_total";
    return "sum(rate(" + series + braces + "[$window]))";
  }
  return metric.ends_with("_total") ? "sum(rate(" + metric + braces + "[$window]))"
                                    : "sum(" + metric + braces + ")";
}

std::string signal_name(const std::string& metric) {
  std::string name;
  for (const char c : metric) {
    const auto byte = static_cast<unsigned char>(c);
    name += std::isalnum(byte) != 0 ? static_cast<char>(std::tolower(byte)) : '-';
  }
  name = name.substr(0, 63);
  while (name.ends_with('-')) {
    name.pop_back();
  }
  return k8s::is_dns_name(name, 63, false) ? name : "requests";
}

class Hpa {
 public:
  explicit Hpa(const Document& source)
      : draft_(begin_draft(source, "autoscaling.alpha.kubernetes.io")),
        name_space_(source.name_space()) {
    const Json* spec = find_member(source.value, "spec");
    spec_ = spec != nullptr && spec->is_object() ? spec : &nothing_;
  }

  Draft convert() {
    carry_target();
    carry_bounds();
    const Json* metrics = find_member(*spec_, "metrics");
    for (std::size_t i = 0; metrics != nullptr && metrics->is_array() && i < metrics->size(); ++i) {
      carry_metric((*metrics)[i], "spec.metrics[" + std::to_string(i) + "]");
    }
    draft_.ledger.drop("spec.targetCPUUtilizationPercentage", std::string(kProcessor));
    if (const Json* behavior = find_member(*spec_, "behavior"); behavior != nullptr) {
      carry_behavior(*behavior, "spec.behavior", draft_);
    }
    return std::move(draft_);
  }

 private:
  static constexpr std::string_view kProcessor =
      "a cache is measured by its requests: what a pod can serve goes into requestsPerReplica";

  void carry_target() {
    const Json* target = find_member(*spec_, "scaleTargetRef");
    OrderedJson& ref = draft_.spec["scaleTargetRef"] = OrderedJson::object();
    for (const char* key : {"apiVersion", "kind", "name"}) {
      if (target != nullptr && !string_member(*target, key).empty()) {
        ref[key] = string_member(*target, key);
      }
      draft_.ledger.carry(std::string("spec.scaleTargetRef.") + key);
    }
    target_ = ref.value("name", std::string());
  }

  void carry_bounds() {
    draft_.spec["minReplicas"] = count_of(find_member(*spec_, "minReplicas")).value_or(1);
    draft_.spec["maxReplicas"] = count_of(find_member(*spec_, "maxReplicas")).value_or(1);
    draft_.ledger.carry("spec.minReplicas");
    draft_.ledger.carry("spec.maxReplicas");
  }

  void carry_metric(const Json& metric, const std::string& path) {
    const std::string type = string_member(metric, "type");

    struct Kind {
      const char* type;
      const char* member;
    };

    for (const Kind& kind :
         {Kind{"External", "external"}, Kind{"Object", "object"}, Kind{"Pods", "pods"}}) {
      const Json* source = find_member(metric, kind.member);
      if (type == kind.type && source != nullptr && source->is_object()) {
        draft_.ledger.carry(path + ".type");
        carry_source(*source, path + "." + kind.member);
        return;
      }
    }
    draft_.ledger.drop(path, type == "Resource" || type == "ContainerResource"
                                 ? std::string(kProcessor)
                                 : "metrics of type " + type + " are not known");
  }

  void carry_source(const Json& source, const std::string& path) {
    const Json* target = find_member(source, "target");
    const auto average =
        target == nullptr ? std::nullopt : quantity_of(find_member(*target, "averageValue"));
    if (!average) {
      draft_.ledger.drop(path,
                         "a target without averageValue says nothing about one replica: take "
                         "what one can serve as requestsPerReplica");
      return;
    }
    draft_.ledger.carry(path);
    for (const char* key : {"value", "averageUtilization"}) {
      draft_.ledger.drop(path + ".target." + key, "averageValue stands beside it and counts");
    }
    const std::string name = string_member(*member_or_nothing(source, "metric"), "name");
    add_signal(name, matchers_of(source, path), *average);
  }

  [[nodiscard]] const Json* member_or_nothing(const Json& object, const char* key) const {
    const Json* member = find_member(object, key);
    return member == nullptr ? &nothing_ : member;
  }

  std::string matchers_of(const Json& source, const std::string& path) {
    Matchers matchers;
    const bool is_pods = path.ends_with(".pods");
    const Json* object = find_member(source, "describedObject");
    if ((is_pods || object != nullptr) && !name_space_.empty()) {
      matchers.add("namespace", "=", name_space_);
    }
    if (is_pods && !target_.empty()) {
      matchers.add("pod", "=~", literal(target_) + "-.*");
    }
    if (object != nullptr) {
      matchers.add(k8s::to_lower(string_member(*object, "kind")), "=",
                   string_member(*object, "name"));
    }
    if (const Json* selector = find_member(*member_or_nothing(source, "metric"), "selector")) {
      matchers.add_selector(*selector);
    }
    return matchers.text;
  }

  void add_signal(const std::string& metric, const std::string& matchers, double average) {
    const std::size_t count = draft_.spec.value("signals", OrderedJson()).size();
    std::string name = signal_name(metric);
    if (!names_.insert(name).second) {
      name = name.substr(0, 60) + "-" + std::to_string(count + 1);
      names_.insert(name);
    }
    draft_.spec["signals"].push_back({{"name", name},
                                      {"query", query_of(metric, matchers)},
                                      {"requestsPerReplica", quantity_text(average)}});
    draft_.comment("spec.signals[" + std::to_string(count) + "].query",
                   "compare with the rule of your metrics adapter for " + metric);
    draft_.chores.push_back("compare the query of signal " + name +
                            " with the rule of your metrics adapter for " + metric);
  }

  const Json nothing_ = Json::object();
  Draft draft_;
  std::string name_space_;
  std::string target_;
  const Json* spec_ = &nothing_;
  std::set<std::string> names_;
};

}  // namespace

Draft draft_of_hpa(const Document& source) {
  return Hpa(source).convert();
}

}  // namespace scaledcache::controller
