// The drain, look by look, against a small world that does what Kubernetes does.
#include "core/drain.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/builders.h"
#include "core/random.h"

namespace scaledcache::core::test {
namespace {

constexpr Milliseconds kPeriod{15'000};

// A fleet whose controller deletes in the order of ReplicaSets, with the state that status keeps.
class Fleet {
 public:
  explicit Fleet(int count) : replicas(count) {
    for (int i = 0; i < count; ++i) {
      add();
    }
  }

  void add() {
    DrainPod pod;
    const std::string number = std::to_string(100 + made_++);
    pod.candidate.name = "p" + number;
    pod.candidate.uid = "u" + number;
    pod.candidate.node = "node";
    pod.candidate.ready = true;
    pod.candidate.gated = gated;
    pod.candidate.warm = true;
    pod.candidate.rate = 50 + made_;
    pods.push_back(pod);
  }

  [[nodiscard]] DrainFacts facts(int wanted) const {
    DrainFacts facts;
    facts.replicas = replicas;
    facts.pods = pods;
    facts.intents = intents;
    facts.goal = goal;
    facts.wanted = wanted;
    facts.last_lowering = last_lowering;
    return facts;
  }

  DrainPod* find(const std::string& uid) {
    const auto at = std::find_if(pods.begin(), pods.end(),
                                 [&](const DrainPod& pod) { return pod.candidate.uid == uid; });
    return at == pods.end() ? nullptr : &*at;
  }

  void open_gates(const DrainPlan& plan) {
    for (const EndedDrain& ended : plan.ended) {
      if (DrainPod* pod = find(ended.intent.uid)) {
        pod->candidate.ready = true;
        pod->unready_since.reset();
      }
    }
  }

  void store(const DrainPlan& plan) {
    intents = plan.intents;
    goal = plan.goal;
  }

  void close_gates(WallTime now) {
    for (const DrainIntent& intent : intents) {
      DrainPod* pod = find(intent.uid);
      if (pod != nullptr && pod->candidate.ready) {
        pod->candidate.ready = false;
        pod->unready_since = now;
      }
    }
  }

  void lower(const DrainPlan& plan, WallTime now) {
    if (plan.lower_to) {
      lowerings.push_back(replicas - *plan.lower_to);
      replicas = *plan.lower_to;
      last_lowering = now;
    }
  }

  // The controller catches up: the first victims are those that are not ready.
  void settle() {
    while (static_cast<int>(pods.size()) > replicas) {
      const auto first = std::min_element(
          pods.begin(), pods.end(),
          [](const auto& a, const auto& b) { return a.candidate.ready < b.candidate.ready; });
      gone.push_back(first->candidate.uid);
      if (first->candidate.ready) {
        ++served_and_went;
      }
      pods.erase(first);
    }
    while (static_cast<int>(pods.size()) < replicas) {
      add();
    }
  }

  DrainPlan look(int wanted, WallTime now, const DrainPolicy& policy = {}) {
    return look(facts(wanted), now, policy);
  }

  DrainPlan look(const DrainFacts& facts, WallTime now, const DrainPolicy& policy = {}) {
    DrainPlan plan = plan_drain(policy, facts, now);
    open_gates(plan);
    store(plan);
    close_gates(now);
    lower(plan, now);
    settle();
    return plan;
  }

  int replicas;
  bool gated = true;
  std::vector<DrainPod> pods;
  std::vector<DrainIntent> intents;
  std::optional<int> goal;
  std::optional<WallTime> last_lowering;
  std::vector<int> lowerings;
  std::vector<std::string> gone;
  int served_and_went = 0;

 private:
  int made_ = 0;
};

std::vector<DrainEnd> ends(const DrainPlan& plan) {
  std::vector<DrainEnd> ends;
  for (const EndedDrain& ended : plan.ended) {
    ends.push_back(ended.end);
  }
  return ends;
}

using Ends = std::vector<DrainEnd>;

TEST_CASE("a pod is drained for the period, then the count falls by one, and the pod goes") {
  Fleet fleet(4);
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
  Fleet fleet(4);
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
  Fleet fleet(4);
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
  Fleet fleet(8);
  CHECK(fleet.look(4, kStart, {.max_concurrent = 3}).start.size() == 3);
  CHECK(fleet.goal == 5);
  CHECK(fleet.look(4, kStart + 1s, {.max_concurrent = 3}).start.empty());
  fleet.look(4, kStart + kPeriod, {.max_concurrent = 3});
  CHECK(fleet.replicas == 5);
  CHECK(fleet.look(4, kStart + kPeriod + 1s, {.max_concurrent = 3}).start.size() == 1);
}

TEST_CASE("of two that are not ready Kubernetes may take either: both are waited for") {
  Fleet fleet(4);
  fleet.look(2, kStart, {.max_concurrent = 2});
  fleet.find(fleet.intents[1].uid)->unready_since = kStart + 4s;
  CHECK_FALSE(fleet.look(2, kStart + kPeriod).lower_to);
  CHECK(fleet.look(2, kStart + kPeriod + 4s).lower_to == 2);
}

TEST_CASE("one that still serves is not waited for") {
  Fleet fleet(4);
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
      Fleet fleet(4);
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
  Fleet fleet(4);
  fleet.look(3, kStart);
  DrainFacts facts = fleet.facts(3);
  facts.data_ok = false;
  CHECK_FALSE(fleet.look(facts, kStart + 1min).lower_to);
  CHECK(ends(fleet.look(facts, kStart + 2 * kPeriod + kDrainGrace)) == Ends{DrainEnd::Expired});
  CHECK(fleet.pods.size() == 4);
}

TEST_CASE("a pod that never becomes unready is given up") {
  Fleet fleet(4);
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
  Fleet fleet(12);
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
  Fleet fleet(4);
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
  Fleet fleet(4);
  fleet.look(3, kStart);
  fleet.lower(plan_drain({}, fleet.facts(3), kStart + kPeriod), kStart + kPeriod);
  CHECK(plan_drain({}, fleet.facts(3), kStart + 1min).active());
  CHECK(ends(plan_drain({}, fleet.facts(3), kStart + kPeriod + kVictimLimit)) ==
        Ends{DrainEnd::Expired});
}

TEST_CASE("a drained pod that dies by itself takes its lowering with it") {
  Fleet fleet(4);
  const std::string uid = fleet.look(3, kStart).start.at(0).uid;
  std::erase_if(fleet.pods, [&](const DrainPod& pod) { return pod.candidate.uid == uid; });
  fleet.settle();
  const DrainPlan plan = fleet.look(4, kStart + kPeriod);
  CHECK(ends(plan) == Ends{DrainEnd::Lost});
  CHECK_FALSE(plan.lower_to);
  CHECK(fleet.replicas == 4);
}

TEST_CASE("a count that somebody raises meanwhile keeps the drains, and what they lead to moves") {
  Fleet fleet(4);
  fleet.look(3, kStart);
  fleet.replicas = 6;
  fleet.settle();
  CHECK(pending_drains(fleet.facts(5)) == 1);
  CHECK(fleet.look(5, kStart + 1s).goal == 5);
}

TEST_CASE("a count that somebody lowers meanwhile is not lowered again") {
  Fleet fleet(4);
  fleet.look(3, kStart);
  fleet.replicas = 3;
  CHECK(pending_drains(fleet.facts(3)) == 0);
  CHECK_FALSE(plan_drain({}, fleet.facts(3), kStart + kPeriod).lower_to);
}

TEST_CASE("pods without our gate cannot be drained: the count falls at once") {
  Fleet fleet(0);
  fleet.gated = false;
  fleet.replicas = 4;
  fleet.settle();
  const DrainPlan plan = fleet.look(2, kStart, {.max_concurrent = 2});
  CHECK(plan.at_once);
  CHECK(plan.lower_to == 2);
  CHECK_FALSE(plan.active());
}

TEST_CASE("Pending pods go first, by the count alone") {
  Fleet fleet(4);
  fleet.pods[3].candidate.phase = PodPhase::Pending;
  fleet.pods[3].candidate.ready = false;
  const DrainPlan plan = plan_drain({.max_concurrent = 2}, fleet.facts(2), kStart);
  CHECK(plan.lower_to == 3);
  CHECK_FALSE(plan.active());
  CHECK_FALSE(plan.at_once);
}

TEST_CASE("nothing begins before the controller has caught up with the count") {
  Fleet fleet(5);
  fleet.replicas = 4;
  CHECK_FALSE(plan_drain({}, fleet.facts(3), kStart).active());
}

TEST_CASE("the last pods of a zone stay, and the plan says how many") {
  Fleet fleet(2);
  fleet.pods[0].candidate.zone = "a";
  fleet.pods[1].candidate.zone = "b";
  const DrainPlan plan = plan_drain({}, fleet.facts(1), kStart);
  CHECK(plan.kept == 2);
  CHECK_FALSE(plan.active());
  CHECK_FALSE(plan.lower_to);
}

TEST_CASE("a StatefulSet in order drains one pod at a time, and none beside an unready one") {
  Fleet fleet(4);
  for (int i = 0; i < 4; ++i) {
    fleet.pods[static_cast<std::size_t>(i)].candidate.ordinal = i;
  }
  const DrainPolicy policy{
      .max_concurrent = 3, .victims = {.stateful_set = true}, .ordered_ready = true};
  const DrainPlan plan = plan_drain(policy, fleet.facts(1), kStart);
  REQUIRE(plan.start.size() == 1);
  CHECK(plan.start[0].uid == "u103");
  fleet.pods[0].candidate.ready = false;
  CHECK_FALSE(plan_drain(policy, fleet.facts(1), kStart).active());
}

TEST_CASE("a clock that was set back does not make a drain endless") {
  Fleet fleet(4);
  fleet.look(3, kStart + 1h);
  const DrainPlan plan = plan_drain({}, fleet.facts(3), kStart);
  REQUIRE(plan.active());
  CHECK(plan.intents[0].since == kStart);
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

// ---------------------------------------------------------- What must always hold

// A process that may die between any two of a look's effects.
enum class Death { Nowhere, AfterOpen, AfterStore, AfterClose, AfterLower };

void look_and_die(Fleet& fleet, const DrainPlan& plan, WallTime now, Death death) {
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
    Fleet fleet(random.whole(1, 12));
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
