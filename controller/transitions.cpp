#include "controller/transitions.h"

#include <array>
#include <string_view>

namespace scaledcache::controller {
namespace {

using k8s::Condition;
using k8s::ConditionStatus;

bool is(const k8s::Status& status, std::string_view type, ConditionStatus wanted) {
  const Condition* condition = k8s::find_condition(status.conditions, type);
  return condition != nullptr && condition->status == wanted;
}

// Whether a condition that had no status yet may be the start of a transition.
enum class Since { Ever, Known };

enum class Weight { Normal, Warning };

// An event for a condition that takes a status it did not have.
struct Rule {
  std::string_view condition;
  ConditionStatus becomes;
  Since since;
  Weight weight;
  const char* reason;
  const char* action;
};

constexpr std::array kRules{
    Rule{"MetricsReady", ConditionStatus::False, Since::Ever, Weight::Warning, "MetricsLost",
         "Hold"},
    Rule{"MetricsReady", ConditionStatus::True, Since::Known, Weight::Normal, "MetricsRecovered",
         "Evaluate"},
    Rule{"Fallback", ConditionStatus::True, Since::Ever, Weight::Warning, "FallbackActivated",
         "Scale"},
    Rule{"Fallback", ConditionStatus::False, Since::Known, Weight::Normal, "FallbackCleared",
         "Evaluate"},
    Rule{"ScalingLimited", ConditionStatus::True, Since::Known, Weight::Normal, "ScalingLimited",
         "Limit"},
    Rule{"Paused", ConditionStatus::True, Since::Ever, Weight::Normal, "Paused", "Hold"},
    Rule{"Paused", ConditionStatus::False, Since::Known, Weight::Normal, "Resumed", "Evaluate"},
    Rule{"ScalingEffective", ConditionStatus::False, Since::Ever, Weight::Warning,
         "ScalingIneffective", "Evaluate"},
    Rule{"Contested", ConditionStatus::True, Since::Ever, Weight::Warning, "TargetContested",
         "Hold"},
};

bool applies(const Rule& rule, const k8s::Status& before, const k8s::Status& after) {
  if (!is(after, rule.condition, rule.becomes) || is(before, rule.condition, rule.becomes)) {
    return false;
  }
  const Condition* old = k8s::find_condition(before.conditions, rule.condition);
  return rule.since == Since::Ever || (old != nullptr && old->status != ConditionStatus::Unknown);
}

std::string note_of(const k8s::Status& after, std::string_view type) {
  const Condition* condition = k8s::find_condition(after.conditions, type);
  return condition->message.empty() ? condition->reason
                                    : condition->reason + ": " + condition->message;
}

}  // namespace

std::vector<k8s::Event> transitions(const k8s::ScaledCache& cache,
                                    const StatusChange& change,
                                    WallTime now) {
  std::vector<k8s::Event> events;
  if (change.scaled && change.after.last_decision) {
    const k8s::LastDecision& decision = *change.after.last_decision;
    events.push_back({cache.reference(), /*warning=*/false,
                      decision.to > decision.from ? "ScaledUp" : "ScaledDown", "Scale",
                      decision.message, now});
  }
  for (const Rule& rule : kRules) {
    if (applies(rule, change.before, change.after)) {
      events.push_back({cache.reference(), rule.weight == Weight::Warning, rule.reason, rule.action,
                        note_of(change.after, rule.condition), now});
    }
  }
  return events;
}

}  // namespace scaledcache::controller
