// What must hold of draining whatever happens.
#include <algorithm>
#include <map>
#include <string>

#include <doctest/doctest.h>

#include "core/drain.h"
#include "core/drain_fleet.h"
#include "core/random.h"

namespace scaledcache::core::test {
namespace {

// A process that may die between any two of a look's effects.
enum class Death { Nowhere, AfterOpen, AfterStore, AfterClose, AfterLower };

void look_and_die(DrainFleet& fleet, const DrainPlan& plan, WallTime now, Death death) {
  fleet.open_gates(plan);
  if (death == Death::AfterOpen) {
    return;
  }
  fleet.store(plan);
  if (death == Death::AfterStore) {
    return;
  }
  fleet.close_gates(now);
  if (death != Death::AfterClose) {
    fleet.lower(plan, now);
  }
}

TEST_CASE("whatever happens: never below what is wanted, one lowering a drain, every drain ends") {
  Random random(12);
  for (int game = 0; game < 300; ++game) {
    CAPTURE(game);
    DrainFleet fleet(random.whole(1, 12));
    const DrainPolicy policy{.max_concurrent = random.whole(1, 4)};
    int wanted = fleet.replicas;
    std::map<std::string, WallTime> begun;
    int begun_in_all = 0;
    WallTime now = kStart;
    for (int i = 0; i < 200; ++i, now += 5s) {
      if (random.chance(0.15)) {
        wanted = random.whole(1, 12);
      }
      DrainFacts facts = fleet.facts(wanted);
      facts.data_ok = !random.chance(0.1);
      facts.veto = random.chance(0.03) ? DrainVeto::Rollout : DrainVeto::None;
      const int before = fleet.replicas;
      const DrainPlan plan = plan_drain(policy, facts, now);
      CHECK(plan.active() == plan.goal.has_value());
      if (plan.lower_to) {
        CHECK(*plan.lower_to >= wanted);
        CHECK(*plan.lower_to < before);
        CHECK(before - *plan.lower_to <= pending_drains(facts));
      }
      for (const DrainIntent& intent : plan.start) {
        begun[intent.uid] = now;
        ++begun_in_all;
      }
      look_and_die(fleet, plan, now,
                   static_cast<Death>(random.chance(0.2) ? random.whole(1, 4) : 0));
      if (wanted > fleet.replicas) {
        fleet.replicas = wanted;
      }
      if (!random.chance(0.2)) {
        fleet.settle();
      }
      for (const DrainIntent& intent : fleet.intents) {
        CHECK(now - begun[intent.uid] < 2 * kPeriod + kDrainGrace + kVictimLimit + 1min);
      }
    }
    int lowered = 0;
    for (const int by : fleet.lowerings) {
      lowered += by;
    }
    CHECK(lowered <= begun_in_all);
    CHECK(fleet.served_and_went == 0);
    // Left alone, it comes to rest.
    for (int i = 0; i < 60; ++i, now += 5s) {
      fleet.look(fleet.replicas, now, policy);
    }
    CHECK(fleet.intents.empty());
    CHECK(std::all_of(fleet.pods.begin(), fleet.pods.end(),
                      [](const DrainPod& pod) { return pod.candidate.ready; }));
  }
}

}  // namespace
}  // namespace scaledcache::core::test
