#include "k8s/condition.h"

#include <algorithm>
#include <utility>

#include "base/rfc3339.h"
#include "k8s/object_meta.h"
#include "k8s/utf8.h"

namespace scaledcache::k8s {
namespace {

// What the schema takes; one text that is too long would have the whole status refused.
constexpr std::size_t kMaxMessage = 1024;
constexpr std::size_t kMaxReason = 128;

Conditions::iterator find(Conditions& conditions, std::string_view type) {
  return std::find_if(conditions.begin(), conditions.end(),
                      [&](const Condition& condition) { return condition.type == type; });
}

ConditionStatus status_of(const std::string& text) {
  if (text == "True") {
    return ConditionStatus::True;
  }
  return text == "False" ? ConditionStatus::False : ConditionStatus::Unknown;
}

}  // namespace

std::string_view name_of(ConditionStatus status) {
  switch (status) {
    case ConditionStatus::True:
      return "True";
    case ConditionStatus::False:
      return "False";
    case ConditionStatus::Unknown:
      break;
  }
  return "Unknown";
}

void add_pending_conditions(Conditions& conditions, std::int64_t generation, WallTime now) {
  for (const std::string_view type : kConditionTypes) {
    if (find_condition(conditions, type) == nullptr) {
      set_condition(conditions,
                    {std::string(type), ConditionStatus::Unknown, "Pending", "not observed yet"},
                    generation, now);
    }
  }
}

void set_condition(Conditions& conditions,
                   ConditionValue value,
                   std::int64_t generation,
                   WallTime now) {
  auto at = find(conditions, value.type);
  if (at == conditions.end()) {
    at = conditions.insert(conditions.end(), Condition{});
    at->type = std::move(value.type);
    at->last_transition = now;
  } else if (at->status != value.status) {
    at->last_transition = now;
  }
  at->status = value.status;
  at->reason = std::move(value.reason);
  at->message = cut_utf8(value.message, kMaxMessage);
  at->observed_generation = generation;
}

const Condition* find_condition(const Conditions& conditions, std::string_view type) {
  const auto found =
      std::find_if(conditions.begin(), conditions.end(),
                   [&](const Condition& condition) { return condition.type == type; });
  return found == conditions.end() ? nullptr : &*found;
}

Conditions conditions_from_json(const Json& list) {
  Conditions conditions;
  if (!list.is_array()) {
    return conditions;
  }
  for (const Json& entry : list) {
    Condition condition;
    condition.type = string_member(entry, "type");
    if (condition.type.empty() || find(conditions, condition.type) != conditions.end()) {
      continue;
    }
    condition.status = status_of(string_member(entry, "status"));
    condition.reason = string_member(entry, "reason");
    condition.message = string_member(entry, "message");
    condition.observed_generation = integer_member(entry, "observedGeneration", 0);
    condition.last_transition = time_member(entry, "lastTransitionTime").value_or(WallTime{});
    conditions.push_back(std::move(condition));
  }
  return conditions;
}

Json to_json(const Conditions& conditions) {
  Json list = Json::array();
  for (const Condition& condition : conditions) {
    list.push_back(Json{{"type", condition.type},
                        {"status", std::string(name_of(condition.status))},
                        {"reason", cut_utf8(condition.reason, kMaxReason)},
                        {"message", cut_utf8(condition.message, kMaxMessage)},
                        {"observedGeneration", condition.observed_generation},
                        {"lastTransitionTime", format_time(condition.last_transition)}});
  }
  return list;
}

}  // namespace scaledcache::k8s
