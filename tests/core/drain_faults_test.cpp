// What goes wrong while pods are drained: each drain ends, and no count is lowered twice.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/drain.h"
#include "core/drain_fleet.h"

namespace scaledcache::core::test {
namespace {

TEST_CASE("what ends every drain") {
  struct Row {
    const char* name;
    DrainVeto veto;
  };

  const std::vector<Row> rows{{"a pause", DrainVeto::Paused},
                              {"switched off", DrainVeto::Off},
                              {"another writer", DrainVeto::Contested},
                              {"a rollout", DrainVeto::Rollout}};
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      DrainFleet fleet(4);
      fleet.look(2, kStart, {.max_concurrent = 2});
      DrainFacts facts = fleet.facts(2);
      facts.veto = row.veto;
      const DrainPlan plan = fleet.look(facts, kStart + kPeriod);
      CHECK(ends(plan) == Ends{DrainEnd::Cancelled, DrainEnd::Cancelled});
      CHECK_FALSE(plan.active());
      CHECK_FALSE(plan.lower_to);
      facts = fleet.facts(2);
      facts.veto = row.veto;
      CHECK_FALSE(fleet.look(facts, kStart + 1min).active());
    }
  }
}

TEST_CASE("without good data nothing is lowered, and in the end the drain is given up") {
  DrainFleet fleet(4);
  fleet.look(3, kStart);
  DrainFacts facts = fleet.facts(3);
  facts.data_ok = false;
  CHECK_FALSE(fleet.look(facts, kStart + 1min).lower_to);
  CHECK(ends(fleet.look(facts, kStart + 2 * kPeriod + kDrainGrace)) == Ends{DrainEnd::Expired});
  CHECK(fleet.pods.size() == 4);
}

TEST_CASE("a pod that never becomes unready is given up") {
  DrainFleet fleet(4);
  fleet.look(3, kStart);
  DrainFacts facts = fleet.facts(3);
  for (DrainPod& pod : facts.pods) {
    pod.candidate.ready = true;
    pod.unready_since.reset();
  }
  CHECK_FALSE(plan_drain({}, facts, kStart + 1min).lower_to);
  CHECK(ends(plan_drain({}, facts, kStart + 2 * kPeriod + kDrainGrace)) == Ends{DrainEnd::Expired});
}

TEST_CASE("a hard bound lowers after the period, whatever the pod and the data say") {
  DrainFleet fleet(12);
  DrainFacts facts = fleet.facts(10);
  facts.must = true;
  fleet.look(facts, kStart, {.max_concurrent = 2});
  facts = fleet.facts(10);
  facts.must = true;
  facts.data_ok = false;
  for (DrainPod& pod : facts.pods) {
    pod.candidate.ready = true;
    pod.unready_since.reset();
  }
  CHECK_FALSE(plan_drain({.max_concurrent = 2}, facts, kStart + kPeriod - 1ms).lower_to);
  CHECK(plan_drain({.max_concurrent = 2}, facts, kStart + kPeriod).lower_to == 10);
}

TEST_CASE("another pod went: the drained one serves again") {
  DrainFleet fleet(4);
  const std::string uid = fleet.look(3, kStart).start.at(0).uid;
  DrainFacts facts = fleet.facts(3);
  fleet.lower(plan_drain({}, facts, kStart + kPeriod), kStart + kPeriod);
  std::erase_if(fleet.pods, [&](const DrainPod& pod) { return pod.candidate.uid == "u103"; });
  REQUIRE(uid != "u103");
  CHECK(plan_drain({}, fleet.facts(3), kStart + kPeriod + 4s).ended.empty());
  const DrainPlan plan = fleet.look(3, kStart + kPeriod + kVictimGrace);
  CHECK(ends(plan) == Ends{DrainEnd::Unexpected});
  CHECK_FALSE(plan.active());
  CHECK(fleet.find(uid)->candidate.ready);
}

TEST_CASE("a controller that never deletes does not keep a pod out for ever") {
  DrainFleet fleet(4);
  fleet.look(3, kStart);
  fleet.lower(plan_drain({}, fleet.facts(3), kStart + kPeriod), kStart + kPeriod);
  CHECK(plan_drain({}, fleet.facts(3), kStart + 1min).active());
  CHECK(ends(plan_drain({}, fleet.facts(3), kStart + kPeriod + kVictimLimit)) ==
        Ends{DrainEnd::Expired});
}

TEST_CASE("a lowering that was not written down is not taken for an old one") {
  DrainFleet fleet(4);
  fleet.look(3, kStart);
  fleet.lower(plan_drain({}, fleet.facts(3), kStart + kPeriod), kStart + kPeriod);
  DrainFacts facts = fleet.facts(3);
  facts.last_lowering = kStart - 1h;
  CHECK(plan_drain({}, facts, kStart + kPeriod + 1s).ended.empty());
  facts.last_lowering.reset();
  CHECK(plan_drain({}, facts, kStart + kPeriod + 1s).ended.empty());
}

TEST_CASE("a drained pod that dies by itself takes its lowering with it") {
  DrainFleet fleet(4);
  const std::string uid = fleet.look(3, kStart).start.at(0).uid;
  std::erase_if(fleet.pods, [&](const DrainPod& pod) { return pod.candidate.uid == uid; });
  fleet.settle();
  const DrainPlan plan = fleet.look(4, kStart + kPeriod);
  CHECK(ends(plan) == Ends{DrainEnd::Lost});
  CHECK_FALSE(plan.lower_to);
  CHECK(fleet.replicas == 4);
}

TEST_CASE("a count that somebody raises meanwhile keeps the drains, and what they lead to moves") {
  DrainFleet fleet(4);
  fleet.look(3, kStart);
  fleet.replicas = 6;
  fleet.settle();
  CHECK(pending_drains(fleet.facts(5)) == 1);
  CHECK(fleet.look(5, kStart + 1s).goal == 5);
}

TEST_CASE("a count that somebody lowers meanwhile is not lowered again") {
  DrainFleet fleet(4);
  fleet.look(3, kStart);
  fleet.replicas = 3;
  CHECK(pending_drains(fleet.facts(3)) == 0);
  CHECK_FALSE(plan_drain({}, fleet.facts(3), kStart + kPeriod).lower_to);
}

TEST_CASE("a clock that was set back does not make a drain endless") {
  DrainFleet fleet(4);
  fleet.look(3, kStart + 1h);
  const DrainPlan plan = plan_drain({}, fleet.facts(3), kStart);
  REQUIRE(plan.active());
  CHECK(plan.intents[0].since == kStart);
}

}  // namespace
}  // namespace scaledcache::core::test
