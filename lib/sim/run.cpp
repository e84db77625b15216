#include "sim/run.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/decide.h"
#include "core/describe.h"
#include "sim/fleet.h"

namespace scaledcache::sim {
namespace {

using Annotations = std::map<std::string, std::string>;

bool is_set(const Annotations& annotations, const char* name) {
  const auto found = annotations.find(std::string("scaledcache.io/") + name);
  return found != annotations.end() && found->second != "false";
}

core::PauseWish pause_of(const Annotations& annotations) {
  core::PauseWish pause;
  pause.paused = is_set(annotations, "paused");
  pause.no_growth = is_set(annotations, "paused-scale-up");
  pause.no_shrinking = is_set(annotations, "paused-scale-down");
  const auto parked = annotations.find("scaledcache.io/paused-replicas");
  if (parked != annotations.end()) {
    pause.paused_replicas = static_cast<int>(std::strtol(parked->second.c_str(), nullptr, 10));
  }
  return pause;
}

// The status as it was last written: on every change that a reader would see, when the learned risk
// moved, and once in five minutes.
class Status {
 public:
  void maybe_write(const core::Decision& decision,
                   const std::vector<core::Condition>& conditions,
                   int ready,
                   std::int64_t second) {
    const double risk = std::sqrt(largest_risk(decision.history));
    const bool moved = std::abs(risk - risk_) > 0.1 * std::max(risk_, 1e-3);
    if (decision.replicas == replicas_ && decision.reason == reason_ && ready == ready_ && !moved &&
        conditions == conditions_ && second - written_ < 300) {
      return;
    }
    replicas_ = decision.replicas;
    reason_ = decision.reason;
    ready_ = ready;
    risk_ = risk;
    conditions_ = conditions;
    written_ = second;
    kept_ = core::keep(decision.history);
  }

  [[nodiscard]] const core::KeptStatus& kept() const { return kept_; }

 private:
  static double largest_risk(const core::History& history) {
    double risk = 0;
    for (const core::SignalHistory& signal : history.signals) {
      risk = std::max(risk, signal.risk);
    }
    return risk;
  }

  core::KeptStatus kept_;
  int replicas_ = -1;
  core::Reason reason_ = core::Reason::Steady;
  int ready_ = -1;
  double risk_ = 0;
  std::vector<core::Condition> conditions_;
  std::int64_t written_ = -1'000'000;
};

class Loop {
 public:
  explicit Loop(const Scenario& scenario)
      : scenario_(scenario), policy_(scenario.policy), fleet_(scenario) {}

  Run play() {
    while (fleet_.now() < 0) {
      fleet_.settle();
      fleet_.flow();
    }
    const std::int64_t end = scenario_.end.count() / 1000;
    run_.moments.reserve(static_cast<std::size_t>(end + 1));
    for (std::int64_t second = 0; second <= end; ++second) {
      happen(second);
      fleet_.settle();
      if (second % std::max<std::int64_t>(1, policy_.poll_interval.count() / 1000) == 0) {
        tick(second);
      }
      const int replicas = fleet_.replicas();
      const int ready = fleet_.ready_pods();
      fleet_.flow();
      note(replicas, ready);
    }
    return std::move(run_);
  }

 private:
  [[nodiscard]] WallTime now(std::int64_t second) const {
    return scenario_.world.start + std::chrono::seconds{second};
  }

  void happen(std::int64_t second) {
    const auto& events = scenario_.events;
    for (; next_event_ < events.size() && events[next_event_].at.count() / 1000 <= second;
         ++next_event_) {
      apply(events[next_event_], second);
    }
  }

  void apply(const Event& event, std::int64_t second) {
    if (event.replicas) {
      fleet_.scale(*event.replicas, false);
    }
    if (event.restart) {
      history_ = core::restore(status_.kept(), now(second));
      known_ = true;
    }
    if (event.policy) {
      policy_ = *event.policy;
    }
    for (const Annotation& annotation : event.annotations) {
      if (annotation.value) {
        annotations_[annotation.name] = *annotation.value;
      } else {
        annotations_.erase(annotation.name);
      }
    }
    if (event.baseline_pods) {
      fleet_.set_baseline(*event.baseline_pods);
    }
    if (event.crash) {
      fleet_.crash_one();
    }
    if (event.reset) {
      fleet_.reset_counters();
    }
    if (event.rollout) {
      fleet_.roll_out(*event.rollout);
    }
  }

  void tick(std::int64_t second) {
    const WallTime time = now(second);
    if (!known_) {
      history_ = core::first_history(time);
      known_ = true;
    }
    core::Observation observation = fleet_.observe(policy_, history_);
    observation.pause = pause_of(annotations_);
    const auto forced = annotations_.find("scaledcache.io/force-activation");
    observation.force_activation = forced != annotations_.end() && forced->second == "true";
    core::Decision decision = core::decide(policy_, observation, history_, time);
    Step step;
    step.second = second;
    step.from = decision.from;
    step.to = decision.replicas;
    step.reason = decision.reason;
    step.wish = decision.wish;
    step.shrink_to = decision.shrink_to;
    if (!decision.signals.empty()) {
      step.short_rate = decision.signals.front().short_rate;
      step.level = decision.signals.front().level;
      step.peak = decision.signals.front().peak;
    }
    step.conditions = core::judge_conditions(policy_, observation, decision, time);
    if (run_.steps.empty() || step.from != step.to || run_.steps.back().reason != step.reason) {
      step.sentence = core::describe(policy_, observation, decision, time);
    }
    if (!policy_.dry_run && decision.replicas != decision.from) {
      fleet_.scale(decision.replicas, true);
    }
    status_.maybe_write(decision, step.conditions, observation.pods.ready, second);
    least_ = decision.min_replicas;
    history_ = std::move(decision.history);
    run_.steps.push_back(std::move(step));
  }

  // The second that has just flowed.
  void note(int replicas, int ready) {
    Moment moment;
    std::vector<double> rates;
    for (const Flow& flow : fleet_.flows()) {
      rates.push_back(flow.plain);
    }
    if (policy_.baseline) {
      moment.baseline = fleet_.baseline_pods() * policy_.baseline->requests_per_replica;
      for (double& rate : rates) {
        rate = std::max(0.0, rate - moment.baseline);
      }
    }
    moment.offered = fleet_.flows().front().offered;
    moment.replicas = replicas;
    moment.ready = ready;
    moment.demand = demand_for(policy_, rates, least_);
    run_.moments.push_back(moment);
  }

  const Scenario& scenario_;
  core::Policy policy_;
  Fleet fleet_;
  core::History history_;
  bool known_ = false;
  Annotations annotations_;
  Status status_;
  std::size_t next_event_ = 0;
  int least_ = 0;  // minimum in force
  Run run_;
};

}  // namespace

Run run(const Scenario& scenario) {
  return Loop(scenario).play();
}

int demand_for(const core::Policy& policy, const std::vector<double>& rates, int least) {
  const int floor = std::max(1, least);
  int demand = floor;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const double exact = std::ceil(rates[i] / policy.signals[i].q() - 1e-6);
    demand = std::max(demand,
                      static_cast<int>(std::min(exact, static_cast<double>(policy.max_replicas))));
  }
  return std::min(demand, std::max(floor, policy.max_replicas));
}

}  // namespace scaledcache::sim
