#include "controller/transitions.h"

#include <doctest/doctest.h>

namespace scaledcache::controller {
namespace {

using namespace std::chrono_literals;
using k8s::ConditionStatus;

constexpr WallTime kNow = WallTime{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};

k8s::Status with(std::string type, ConditionStatus status, std::string reason = "Because") {
  k8s::Status result;
  k8s::add_pending_conditions(result.conditions, 1, kNow);
  if (!type.empty()) {
    k8s::set_condition(result.conditions, {std::move(type), status, std::move(reason), "numbers"},
                       1, kNow);
  }
  return result;
}

std::vector<std::string> reasons(const k8s::Status& before,
                                 const k8s::Status& after,
                                 bool scaled = false) {
  std::vector<std::string> names;
  for (const k8s::Event& event : transitions(k8s::ScaledCache{}, {before, after, scaled}, kNow)) {
    names.push_back(event.reason);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST_CASE("only a change of status is an event") {
  struct Row {
    const char* name;
    const char* type;
    ConditionStatus from;
    ConditionStatus to;
    Names want;
  };

  constexpr auto kUnknown = ConditionStatus::Unknown;
  constexpr auto kTrue = ConditionStatus::True;
  constexpr auto kFalse = ConditionStatus::False;
  for (const Row& row :
       {Row{"metrics lost", "MetricsReady", kTrue, kFalse, {"MetricsLost"}},
        Row{"metrics never there", "MetricsReady", kUnknown, kFalse, {"MetricsLost"}},
        Row{"metrics back", "MetricsReady", kFalse, kTrue, {"MetricsRecovered"}},
        Row{"metrics there from the start", "MetricsReady", kUnknown, kTrue, {}},
        Row{"metrics still lost", "MetricsReady", kFalse, kFalse, {}},
        Row{"fallback on", "Fallback", kFalse, kTrue, {"FallbackActivated"}},
        Row{"fallback off", "Fallback", kTrue, kFalse, {"FallbackCleared"}},
        Row{"limit reached", "ScalingLimited", kFalse, kTrue, {"ScalingLimited"}},
        Row{"limit left", "ScalingLimited", kTrue, kFalse, {}},
        Row{"paused", "Paused", kFalse, kTrue, {"Paused"}},
        Row{"resumed", "Paused", kTrue, kFalse, {"Resumed"}},
        Row{"contested", "Contested", kFalse, kTrue, {"TargetContested"}}}) {
    SUBCASE(row.name) {
      CHECK(reasons(with(row.type, row.from), with(row.type, row.to)) == row.want);
    }
  }
}

TEST_CASE("a written count is an event with the sentence of the decision") {
  k8s::Status after = with("", ConditionStatus::Unknown);
  after.last_decision = k8s::LastDecision{kNow, 2, 8, "ScaleUpLimited", "2300 req/s need 12"};
  const auto events =
      transitions(k8s::ScaledCache{}, {with("", ConditionStatus::Unknown), after, true}, kNow);
  REQUIRE(events.size() == 1);
  CHECK(events[0].reason == "ScaledUp");
  CHECK(events[0].note == "2300 req/s need 12");
  CHECK(reasons(after, after, false).empty());
  after.last_decision->to = 1;
  CHECK(reasons(after, after, true) == Names{"ScaledDown"});
}

}  // namespace
}  // namespace scaledcache::controller
