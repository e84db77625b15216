// The drain, look by look.
#include "core/drain.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/drain_fleet.h"

namespace scaledcache::core::test {
namespace {

TEST_CASE("a pod is drained for the period, then the count falls by one, and the pod goes") {
  DrainFleet fleet(4);
  const DrainPlan begun = fleet.look(3, kStart);
  REQUIRE(begun.start.size() == 1);
  CHECK(begun.goal == 3);
  CHECK_FALSE(begun.lower_to);
  CHECK(pending_drains(fleet.facts(3)) == 1);
  CHECK_FALSE(fleet.look(3, kStart + kPeriod - 1ms).lower_to);
  const DrainPlan lowered = fleet.look(3, kStart + kPeriod);
  CHECK(lowered.lower_to == 3);
  CHECK(fleet.gone == std::vector{begun.start[0].uid});
  CHECK(pending_drains(fleet.facts(3)) == 0);
  const DrainPlan after = fleet.look(3, kStart + kPeriod + 1s);
  CHECK(ends(after) == Ends{DrainEnd::Completed});
  CHECK_FALSE(after.active());
  CHECK_FALSE(after.goal);
}

TEST_CASE("its traffic gone, it need not wait for the period") {
  DrainFleet fleet(4);
  const std::string uid = fleet.look(3, kStart).start.at(0).uid;
  fleet.find(uid)->candidate.rate = 0.5;
  fleet.find(uid)->rate_since = kStart - 1s;
  CHECK_FALSE(fleet.look(3, kStart + 5s).lower_to);  // counted since before it left the Service
  fleet.find(uid)->rate_since = kStart;
  SUBCASE("but a moment") {
    CHECK_FALSE(fleet.look(3, kStart + kShortestDrain - 1ms).lower_to);
    CHECK(fleet.look(3, kStart + kShortestDrain).lower_to == 3);
  }
  SUBCASE("while it still serves, the period decides") {
    fleet.find(uid)->candidate.rate = 2;
    CHECK_FALSE(fleet.look(3, kStart + 14s).lower_to);
    CHECK(fleet.look(3, kStart + 15s).lower_to == 3);
  }
}

TEST_CASE("demand that returns cancels drains before anything else, and the pod is there again") {
  DrainFleet fleet(4);
  fleet.look(2, kStart, {.max_concurrent = 2});
  CHECK(fleet.intents.size() == 2);
  const DrainPlan one = fleet.look(3, kStart + 5s);
  CHECK(ends(one) == Ends{DrainEnd::Cancelled});
  CHECK(one.goal == 3);
  const DrainPlan all = fleet.look(6, kStart + 6s);
  CHECK(ends(all) == Ends{DrainEnd::Cancelled});
  CHECK_FALSE(all.active());
  CHECK(fleet.lowerings.empty());
  CHECK(fleet.pods.size() == 4);
}

TEST_CASE("no more pods at a time than maxConcurrent") {
  DrainFleet fleet(8);
  CHECK(fleet.look(4, kStart, {.max_concurrent = 3}).start.size() == 3);
  CHECK(fleet.goal == 5);
  CHECK(fleet.look(4, kStart + 1s, {.max_concurrent = 3}).start.empty());
  fleet.look(4, kStart + kPeriod, {.max_concurrent = 3});
  CHECK(fleet.replicas == 5);
  CHECK(fleet.look(4, kStart + kPeriod + 1s, {.max_concurrent = 3}).start.size() == 1);
}

TEST_CASE("of two that are not ready Kubernetes may take either: both are waited for") {
  DrainFleet fleet(4);
  fleet.look(2, kStart, {.max_concurrent = 2});
  fleet.find(fleet.intents[1].uid)->unready_since = kStart + 4s;
  CHECK_FALSE(fleet.look(2, kStart + kPeriod).lower_to);
  CHECK(fleet.look(2, kStart + kPeriod + 4s).lower_to == 2);
}

TEST_CASE("one that still serves is not waited for") {
  DrainFleet fleet(4);
  fleet.look(2, kStart, {.max_concurrent = 2});
  DrainPod& pod = *fleet.find(fleet.intents[1].uid);
  DrainFacts facts = fleet.facts(2);
  for (DrainPod& one : facts.pods) {
    if (one.candidate.uid == pod.candidate.uid) {
      one.candidate.ready = true;
      one.unready_since.reset();
    }
  }
  CHECK(plan_drain({}, facts, kStart + kPeriod).lower_to == 3);
}

TEST_CASE("pods without our gate cannot be drained: the count falls at once") {
  DrainFleet fleet(0);
  fleet.gated = false;
  fleet.replicas = 4;
  fleet.settle();
  const DrainPlan plan = fleet.look(2, kStart, {.max_concurrent = 2});
  CHECK(plan.at_once);
  CHECK(plan.lower_to == 2);
  CHECK_FALSE(plan.active());
}

TEST_CASE("Pending pods go first, by the count alone") {
  DrainFleet fleet(4);
  fleet.pods[3].candidate.phase = PodPhase::Pending;
  fleet.pods[3].candidate.ready = false;
  const DrainPlan plan = plan_drain({.max_concurrent = 2}, fleet.facts(2), kStart);
  CHECK(plan.lower_to == 3);
  CHECK_FALSE(plan.active());
  CHECK_FALSE(plan.at_once);
}

TEST_CASE("nothing begins before the controller has caught up with the count") {
  DrainFleet fleet(5);
  fleet.replicas = 4;
  CHECK_FALSE(plan_drain({}, fleet.facts(3), kStart).active());
}

TEST_CASE("the last pods of a zone stay, and the plan says how many") {
  DrainFleet fleet(2);
  fleet.pods[0].candidate.zone = "a";
  fleet.pods[1].candidate.zone = "b";
  const DrainPlan plan = plan_drain({}, fleet.facts(1), kStart);
  CHECK(plan.kept == 2);
  CHECK_FALSE(plan.active());
  CHECK_FALSE(plan.lower_to);
}

TEST_CASE("the history of a drained shrink: the count stands until it is lowered") {
  Play play(policy(2, 40), 10);
  play.settle(1000);
  play.set_replicas(10);
  History before = play.history();
  before.replicas = 10;
  before.last_down = kStart;
  Decision decision;
  decision.history = before;
  decision.history.replicas = 8;
  decision.history.last_down = kStart + 1min;
  const History standing = with_count_standing(decision, before, 10);
  CHECK(standing.replicas == 10);
  CHECK(standing.last_down == kStart);
  const History lowered = with_count_lowered(standing, 10, 9, kStart + 2min);
  CHECK(lowered.replicas == 9);
  CHECK(lowered.last_down == kStart + 2min);
  CHECK(lowered.last_own_change == Change{kStart + 2min, 10, 9, true});
}

}  // namespace
}  // namespace scaledcache::core::test
