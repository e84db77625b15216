#include "controller/drain_report.h"

#include <algorithm>

namespace scaledcache::controller {
namespace {

using core::DrainEnd;

std::string list(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  return names.size() > kMost ? text + " and " + std::to_string(names.size() - kMost) + " more"
                              : text;
}

std::vector<std::string> ended_as(const core::DrainPlan& plan, DrainEnd end) {
  std::vector<std::string> names;
  for (const core::EndedDrain& ended : plan.ended) {
    if (ended.end == end) {
      names.push_back(ended.intent.pod);
    }
  }
  return names;
}

// Those of the fleet at the last lowering that are no longer there, and were not meant to go.
std::vector<std::string> gone_instead(const Look& look,
                                      const core::DrainPlan& plan,
                                      const Memory& memory) {
  std::vector<std::string> gone;
  for (const std::string& name : memory.fleet_at_lowering) {
    const bool lives =
        std::any_of(look.gathered.target.pods.begin(), look.gathered.target.pods.end(),
                    [&](const k8s::Pod& pod) { return pod.name == name && pod.alive(); });
    const bool was_meant =
        std::any_of(plan.ended.begin(), plan.ended.end(),
                    [&](const core::EndedDrain& ended) { return ended.intent.pod == name; });
    if (!lives && !was_meant) {
      gone.push_back(name);
    }
  }
  return gone;
}

class Teller {
 public:
  explicit Teller(const Look& look) : look_(look) {}

  void tell(const char* reason, const char* action, const std::string& note, bool warning = false) {
    events_.push_back({look_.cache.reference(), warning, reason, action, note, look_.now});
  }

  [[nodiscard]] std::vector<k8s::Event> take() { return std::move(events_); }

 private:
  const Look& look_;
  std::vector<k8s::Event> events_;
};

void tell_unexpected(const Look& look,
                     const core::DrainPlan& plan,
                     const Memory& memory,
                     Teller& teller) {
  const auto drained = ended_as(plan, DrainEnd::Unexpected);
  if (drained.empty()) {
    return;
  }
  const auto instead = gone_instead(look, plan, memory);
  teller.tell("UnexpectedVictim", "Drain",
              "the count was lowered for " + list(drained) + ", and " +
                  (instead.empty() ? "another pod" : list(instead)) +
                  " went instead; what was drained serves again",
              /*warning=*/true);
}

}  // namespace

int next_count(const Look& look, const core::DrainPlan& plan) {
  const int count = look.gathered.target.replicas;
  const core::Decision& decision = look.decision;
  if (plan.lower_to) {
    return *plan.lower_to;
  }
  if (look.gathered.policy.dry_run) {
    return count;
  }
  const bool is_parked =
      decision.reason == core::Reason::Paused && decision.replicas != decision.from;
  return is_parked || decision.replicas > count ? decision.replicas : count;
}

core::Decision carried_out(const Look& look,
                           const core::DrainPlan& plan,
                           const core::History& before,
                           int count) {
  const int old_count = look.gathered.target.replicas;
  core::Decision decision = look.decision;
  if (look.gathered.policy.dry_run) {
    return decision;
  }
  const bool is_shrink =
      decision.replicas < decision.from && decision.reason != core::Reason::Paused;
  if (is_shrink && !plan.at_once) {
    decision.history = core::with_count_standing(decision, before, old_count);
  }
  if (plan.lower_to && !plan.at_once) {
    decision.history =
        core::with_count_lowered(std::move(decision.history), old_count, count, look.now);
  }
  decision.history.replicas = count;
  const int pending = plan.goal ? old_count - *plan.goal : 0;  // before a lowering
  decision.replicas = plan.lower_to && plan.goal ? std::min(count, *plan.goal) : count - pending;
  return decision;
}

k8s::Status with_drains(k8s::Status status, const core::DrainPlan& plan) {
  status.drains.clear();
  for (const core::DrainIntent& intent : plan.intents) {
    status.drains.push_back({intent.pod, intent.uid, intent.since});
  }
  status.drain_goal = plan.goal;
  status.draining = static_cast<int>(plan.intents.size());
  return status;
}

std::string sentence_of(const Look& look, const core::DrainPlan& plan) {
  if (plan.at_once) {
    return look.sentence + "; not drained: the pods do not carry the readiness gate";
  }
  if (!plan.blocked_by.empty()) {
    return look.sentence + "; no pod leaves while " + plan.blocked_by +
           " is not ready: the StatefulSet takes its pods in order";
  }
  if (plan.kept > 0 && plan.start.empty()) {
    return look.sentence + "; " + std::to_string(plan.kept) +
           " pods stay: each is the last of its node or zone";
  }
  return look.sentence;
}

std::vector<k8s::Event> drain_events(const Look& look,
                                     const core::DrainPlan& plan,
                                     const Memory& memory) {
  Teller teller(look);
  tell_unexpected(look, plan, memory, teller);
  if (const auto names = ended_as(plan, DrainEnd::Cancelled); !names.empty()) {
    teller.tell("DrainCancelled", "Drain", list(names) + " serve again, still warm");
  }
  if (const auto names = ended_as(plan, DrainEnd::Expired); !names.empty()) {
    teller.tell("DrainCancelled", "Drain",
                list(names) + " serve again: the drain came to nothing in time", /*warning=*/true);
  }
  std::vector<std::string> started;
  for (const core::DrainIntent& intent : plan.start) {
    started.push_back(intent.pod);
  }
  if (!started.empty()) {
    teller.tell("DrainStarted", "Drain",
                list(started) + " take no new traffic before the count falls from " +
                    std::to_string(look.gathered.target.replicas) + " to " +
                    std::to_string(plan.goal.value_or(0)));
  }
  if (plan.lower_to && !plan.at_once) {
    teller.tell("ScaledDown", "Scale",
                std::to_string(look.gathered.target.replicas) + " → " +
                    std::to_string(*plan.lower_to) + " replicas: " +
                    (plan.intents.empty() ? "pods that never ran" : "the pods are drained"));
  }
  return teller.take();
}

std::vector<k8s::Pod> pods_to_release(const Look& look,
                                      const core::DrainPlan& plan,
                                      const Memory& memory) {
  std::vector<k8s::Pod> pods;
  for (const core::EndedDrain& ended : plan.ended) {
    for (const k8s::Pod& pod : look.gathered.target.pods) {
      if (pod.uid != ended.intent.uid || !pod.alive()) {
        continue;
      }
      pods.push_back(pod);
      const auto mark = memory.drain_marks.find(pod.uid);
      if (mark != memory.drain_marks.end()) {
        pods.back().drain = mark->second;  // the watch may not have shown it yet
      }
    }
  }
  return pods;
}

}  // namespace scaledcache::controller
