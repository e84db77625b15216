#include "k8s/condition.h"

#include <doctest/doctest.h>

#include "base/rfc3339.h"

namespace scaledcache::k8s {
namespace {

const WallTime kFirst = *parse_time("2026-01-01T00:00:00Z");
const WallTime kLater = *parse_time("2026-01-01T00:01:00Z");

TEST_CASE("all types are there as Unknown, Pending, from the first observation") {
  Conditions conditions;
  add_pending_conditions(conditions, 1, kFirst);
  REQUIRE(conditions.size() == std::size(kConditionTypes));
  for (const std::string_view type : kConditionTypes) {
    const Condition* condition = find_condition(conditions, type);
    REQUIRE(condition != nullptr);
    CHECK(condition->status == ConditionStatus::Unknown);
    CHECK(condition->reason == "Pending");
    CHECK(condition->last_transition == kFirst);
  }
}

TEST_CASE("what is known already stays when the missing ones are added") {
  Conditions conditions;
  set_condition(conditions, {"Ready", ConditionStatus::True, "AsExpected", ""}, 1, kFirst);
  add_pending_conditions(conditions, 2, kLater);
  CHECK(find_condition(conditions, "Ready")->status == ConditionStatus::True);
  CHECK(find_condition(conditions, "Ready")->observed_generation == 1);
}

TEST_CASE("the transition time moves only with the status") {
  Conditions conditions;
  set_condition(conditions, {"Ready", ConditionStatus::False, "TargetNotFound", "a"}, 1, kFirst);
  set_condition(conditions, {"Ready", ConditionStatus::False, "TargetForbidden", "b"}, 2, kLater);
  const Condition* ready = find_condition(conditions, "Ready");
  CHECK(ready->reason == "TargetForbidden");
  CHECK(ready->message == "b");
  CHECK(ready->observed_generation == 2);
  CHECK(ready->last_transition == kFirst);
  set_condition(conditions, {"Ready", ConditionStatus::True, "AsExpected", ""}, 2, kLater);
  CHECK(find_condition(conditions, "Ready")->last_transition == kLater);
}

TEST_CASE("a long message is cut") {
  Conditions conditions;
  set_condition(conditions,
                {"Ready", ConditionStatus::False, "InvalidSpec", std::string(5000, 'x')}, 1,
                kFirst);
  CHECK(find_condition(conditions, "Ready")->message.size() == 1024);
}

TEST_CASE("conditions are read back as they were written") {
  Conditions conditions;
  add_pending_conditions(conditions, 1, kFirst);
  set_condition(conditions, {"Ready", ConditionStatus::True, "AsExpected", "m"}, 3, kLater);
  CHECK(conditions_from_json(to_json(conditions)) == conditions);
}

TEST_CASE("what cannot be read is dropped, what is unknown is kept") {
  const Conditions conditions = conditions_from_json(Json::parse(R"([
    1, null, {}, {"type": ""}, {"type": 5},
    {"type": "Warm", "status": "True", "reason": "AllWarm"},
    {"type": "Warm", "status": "False"},
    {"type": "Ready", "status": true, "lastTransitionTime": "yesterday"}])"));
  REQUIRE(conditions.size() == 2);
  CHECK(conditions[0].type == "Warm");
  CHECK(conditions[0].status == ConditionStatus::True);
  CHECK(conditions[1].status == ConditionStatus::Unknown);
  CHECK(conditions_from_json(Json("x")).empty());
}

}  // namespace
}  // namespace scaledcache::k8s
