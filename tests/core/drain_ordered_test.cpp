// Draining of StatefulSets, which give up their highest ordinals.
#include <doctest/doctest.h>

#include "core/drain.h"
#include "core/drain_fleet.h"

namespace scaledcache::core::test {
namespace {

// A StatefulSet of `count` pods, the highest ordinal last.
DrainFleet stateful(int count) {
  DrainFleet fleet(count);
  for (int i = 0; i < count; ++i) {
    fleet.pods[static_cast<std::size_t>(i)].candidate.ordinal = i;
  }
  return fleet;
}

const DrainPolicy kOrdered{
    .max_concurrent = 3, .victims = {.stateful_set = true}, .ordered_ready = true};
const DrainPolicy kParallel{.max_concurrent = 3, .victims = {.stateful_set = true}};

TEST_CASE("in order one pod is drained at a time, and none above one that is not ready") {
  DrainFleet fleet = stateful(4);
  const DrainPlan plan = plan_drain(kOrdered, fleet.facts(1), kStart);
  REQUIRE(plan.start.size() == 1);
  CHECK(plan.start[0].uid == "u103");
  CHECK(plan.blocked_by.empty());
  fleet.pods[0].candidate.ready = false;
  const DrainPlan blocked = plan_drain(kOrdered, fleet.facts(1), kStart);
  CHECK_FALSE(blocked.active());
  CHECK(blocked.blocked_by == "p100");
  CHECK(plan_drain(kParallel, fleet.facts(2), kStart).start.size() == 2);
}

TEST_CASE("in order, the one that leaves next holds up nobody") {
  DrainFleet fleet = stateful(4);
  fleet.pods[3].candidate.ready = false;
  SUBCASE("it runs and is not ready") {
    const DrainPlan plan = plan_drain(kOrdered, fleet.facts(3), kStart);
    REQUIRE(plan.start.size() == 1);
    CHECK(plan.start[0].uid == "u103");
  }
  SUBCASE("it never ran") {
    fleet.pods[3].candidate.phase = PodPhase::Pending;
    CHECK(plan_drain(kOrdered, fleet.facts(3), kStart).lower_to == 3);
  }
}

TEST_CASE("in order, no count is lowered while a pod below the drained one is not ready") {
  DrainFleet fleet = stateful(4);
  fleet.look(3, kStart, kOrdered);
  fleet.pods[1].candidate.ready = false;
  const DrainPlan plan = plan_drain(kOrdered, fleet.facts(3), kStart + kPeriod);
  CHECK_FALSE(plan.lower_to);
  CHECK(plan.blocked_by == "p101");
  SUBCASE("it is once that one is ready again") {
    fleet.pods[1].candidate.ready = true;
    CHECK(plan_drain(kOrdered, fleet.facts(3), kStart + kPeriod).lower_to == 3);
  }
  SUBCASE("the drain is given up where that takes too long") {
    const DrainPlan late = plan_drain(kOrdered, fleet.facts(3), kStart + 2 * kPeriod + kDrainGrace);
    CHECK(ends(late) == Ends{DrainEnd::Expired});
  }
  SUBCASE("a hard bound does not wait") {
    DrainFacts facts = fleet.facts(3);
    facts.must = true;
    CHECK(plan_drain(kOrdered, facts, kStart + kPeriod).lower_to == 3);
  }
}

TEST_CASE("demand that returns in part opens the lowest ordinal: the highest is the one to go") {
  DrainFleet fleet = stateful(5);
  fleet.look(3, kStart, kParallel);
  REQUIRE(fleet.intents.size() == 2);
  fleet.find("u103")->unready_since = kStart - 1s;
  const DrainPlan plan = fleet.look(4, kStart + 5s, kParallel);
  REQUIRE(ends(plan) == Ends{DrainEnd::Cancelled});
  CHECK(plan.ended[0].intent.uid == "u103");
  CHECK(plan.intents.at(0).uid == "u104");
}

}  // namespace
}  // namespace scaledcache::core::test
