// A small world that does what Kubernetes does, for tests of draining look by look.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/builders.h"
#include "core/drain.h"

namespace scaledcache::core::test {

inline constexpr Milliseconds kPeriod{15'000};

// A fleet whose controller deletes in the order of ReplicaSets, with the state that status keeps.
class DrainFleet {
 public:
  explicit DrainFleet(int count) : replicas(count) {
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

inline std::vector<DrainEnd> ends(const DrainPlan& plan) {
  std::vector<DrainEnd> ends;
  for (const EndedDrain& ended : plan.ended) {
    ends.push_back(ended.end);
  }
  return ends;
}

using Ends = std::vector<DrainEnd>;

}  // namespace scaledcache::core::test
