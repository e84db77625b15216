#include "controller/webhook.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/json.h"
#include "k8s/base64.h"
#include "k8s/pod.h"

namespace scaledcache::controller {
namespace {

constexpr const char* kReviewVersion = "admission.k8s.io/v1";
constexpr const char* kReviewKind = "AdmissionReview";
constexpr int kMaxDepth = 100;
// A pod has hundreds. Parsed, a value takes many times the bytes that it takes as text.
constexpr int kMaxValues = 50'000;

const Json& member(const Json& object, std::string_view key) {
  static const Json nothing;
  const Json* found = find_member(object, key);
  return found == nullptr ? nothing : *found;
}

bool has_too_many_values(std::string_view text) {
  int values = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size() && values <= kMaxValues; ++i) {
    const char c = text[i];
    if (in_string) {
      in_string = c != '"';
      i += c == '\\' ? 1 : 0;
    } else if (c == '"') {
      in_string = true;
    } else if (c == ',' || c == '[' || c == '{') {
      ++values;
    }
  }
  return values > kMaxValues;
}

std::string review_of(Json response) {
  return dump_json(
      {{"apiVersion", kReviewVersion}, {"kind", kReviewKind}, {"response", std::move(response)}});
}

Admission refusal(const std::string& uid, const std::string& message) {
  return {
      AdmissionOutcome::Malformed,
      review_of(
          {{"uid", uid}, {"allowed", false}, {"status", {{"code", 400}, {"message", message}}}})};
}

Admission approval(const std::string& uid, const Json& patch) {
  Json response{{"uid", uid}, {"allowed", true}};
  if (patch.empty()) {
    return {AdmissionOutcome::Unchanged, review_of(std::move(response))};
  }
  response["patchType"] = "JSONPatch";
  response["patch"] = k8s::encode_base64(dump_json(patch));
  return {AdmissionOutcome::Injected, review_of(std::move(response))};
}

// A new pod itself, not one of its subresources.
bool is_new_pod(const Json& request) {
  const Json& kind = member(request, "kind");
  return string_member(request, "operation") == "CREATE" && string_member(kind, "group").empty() &&
         string_member(kind, "kind") == "Pod" && string_member(request, "subResource").empty();
}

// Nothing where labels are of a shape that no pod has.
std::optional<k8s::Labels> labels_of(const Json& pod) {
  k8s::Labels labels;
  const Json& object = member(member(pod, "metadata"), "labels");
  if (!object.is_object()) {
    return object.is_null() ? std::optional(labels) : std::nullopt;
  }
  for (const auto& [name, value] : object.items()) {
    if (!value.is_string()) {
      return std::nullopt;
    }
    labels.emplace(name, value.get<std::string>());
  }
  return labels;
}

// For a JSON pointer.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += c == '~' ? std::string("~0") : c == '/' ? std::string("~1") : std::string(1, c);
  }
  return out;
}

Json addition(const std::string& path, Json value) {
  return {{"op", "add"}, {"path", path}, {"value", std::move(value)}};
}

void add_gate(const Json& pod, Json& patch) {
  const Json gate{{"conditionType", k8s::kGateCondition}};
  const Json& gates = member(member(pod, "spec"), "readinessGates");
  if (gates.is_null()) {
    patch.push_back(addition("/spec/readinessGates", Json::array({gate})));
    return;
  }
  const bool has_ours = std::any_of(gates.begin(), gates.end(), [](const Json& element) {
    return string_member(element, "conditionType") == k8s::kGateCondition;
  });
  if (!has_ours) {
    patch.push_back(addition("/spec/readinessGates/-", gate));
  }
}

void add_label(const Json& pod, const k8s::Labels& labels, Json& patch) {
  const auto label = labels.find(std::string(k8s::kGatedLabel));
  if (label != labels.end() && label->second == "true") {
    return;
  }
  if (member(member(pod, "metadata"), "labels").is_null()) {
    patch.push_back(addition("/metadata/labels", {{std::string(k8s::kGatedLabel), "true"}}));
  } else {
    patch.push_back(addition("/metadata/labels/" + escaped(k8s::kGatedLabel), "true"));
  }
}

// A pod of such a shape that a patch of it would be refused, and with it the pod.
bool can_be_patched(const Json& pod) {
  const Json& gates = member(member(pod, "spec"), "readinessGates");
  return member(pod, "metadata").is_object() && member(pod, "spec").is_object() &&
         (gates.is_null() || gates.is_array());
}

Json patch_for(const Json& request, const GatedTargets& targets) {
  const Json& pod = member(request, "object");
  const auto labels = labels_of(pod);
  const Json& host_network = member(member(pod, "spec"), "hostNetwork");
  Json patch = Json::array();
  if (!is_new_pod(request) || !labels || !can_be_patched(pod) ||
      (host_network.is_boolean() && host_network.get<bool>())) {
    return patch;
  }
  const auto selectors = targets.selectors(string_member(request, "namespace"));
  const bool gated =
      std::any_of(selectors.begin(), selectors.end(),
                  [&](const k8s::LabelSelector& selector) { return selector.matches(*labels); });
  if (gated) {
    add_gate(pod, patch);
    add_label(pod, *labels, patch);
  }
  return patch;
}

}  // namespace

std::string_view name_of(AdmissionOutcome outcome) {
  switch (outcome) {
    case AdmissionOutcome::Injected:
      return "Injected";
    case AdmissionOutcome::Unchanged:
      return "Unchanged";
    case AdmissionOutcome::Malformed:
      return "Malformed";
  }
  return "";
}

Admission admit(std::string_view review, const GatedTargets& targets) {
  if (has_too_many_values(review)) {
    return refusal("", "the request holds too many values");
  }
  const auto parsed = parse_json(review, kMaxDepth);
  if (!parsed) {
    return refusal("", "the request is no JSON that can be read: " + parsed.error().message);
  }
  const Json& request = member(*parsed, "request");
  const std::string uid = string_member(request, "uid");
  if (string_member(*parsed, "apiVersion") != kReviewVersion ||
      string_member(*parsed, "kind") != kReviewKind || uid.empty()) {
    return refusal(uid, "the request is no AdmissionReview of admission.k8s.io/v1 with a uid");
  }
  return approval(uid, patch_for(request, targets));
}

Admission refuse_review(const std::string& message) {
  return refusal("", message);
}

}  // namespace scaledcache::controller
