#include "sim/textbook.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "sim/figures.h"
#include "sim/load.h"

namespace scaledcache::sim {
namespace {

constexpr std::int64_t kSync = 15;
constexpr std::int64_t kStabilization = 300;
constexpr double kTolerance = 0.1;

class Textbook {
 public:
  Textbook(const Scenario& scenario, const TextbookRule& rule)
      : scenario_(scenario), rule_(rule), curve_(scenario.loads.front(), scenario.world.seed) {}

  Run play() {
    const auto& policy = scenario_.policy;
    const std::int64_t end = scenario_.end.count() / 1000;
    replicas_ = scenario_.world.replicas;
    ready_ = replicas_;
    for (std::int64_t second = -rule_.window; second < 0; ++second) {
      totals_.push_back(total() + curve_.at(second));
    }
    for (std::int64_t second = 0; second <= end; ++second) {
      while (!starting_.empty() && starting_.front() <= second) {
        starting_.pop_front();
        ++ready_;
      }
      if (second % kSync == 0) {
        sync(second);
      }
      const double offered = curve_.at(second);
      totals_.push_back(total() + offered);
      Moment moment;
      moment.offered = offered;
      moment.replicas = replicas_;
      moment.ready = ready_;
      moment.demand = demand_for(policy, {curve_.plain()}, policy.min_replicas);
      run_.moments.push_back(moment);
    }
    return std::move(run_);
  }

 private:
  [[nodiscard]] double total() const { return totals_.empty() ? 0 : totals_.back(); }

  [[nodiscard]] double rate() const {
    const auto window = std::min(static_cast<std::size_t>(rule_.window), totals_.size() - 1);
    return (totals_.back() - totals_[totals_.size() - 1 - window]) / static_cast<double>(window);
  }

  void sync(std::int64_t second) {
    const auto& policy = scenario_.policy;
    const double target = policy.signals.front().q() * rule_.target_share;
    const double wanted = rate() / target;
    const double ratio = replicas_ > 0 ? wanted / replicas_ : 2;
    int desired = replicas_;
    if (std::abs(ratio - 1) > kTolerance) {
      desired = static_cast<int>(std::min(std::ceil(wanted - 1e-9), 1e6));
    }
    desired = std::clamp(desired, std::max(1, policy.min_replicas), policy.max_replicas);
    recommendations_.push_back({second, desired});
    while (recommendations_.front().first <= second - kStabilization) {
      recommendations_.pop_front();
    }
    int target_count = desired;
    if (desired < replicas_) {
      for (const auto& [when, count] : recommendations_) {
        target_count = std::max(target_count, std::min(count, replicas_));
      }
    } else {
      target_count = std::min(desired, std::max(2 * replicas_, replicas_ + 4));
    }
    scale(second, target_count);
  }

  void scale(std::int64_t second, int count) {
    if (count == replicas_) {
      return;
    }
    Step step;
    step.second = second;
    step.from = replicas_;
    step.to = count;
    run_.steps.push_back(step);
    for (; replicas_ < count; ++replicas_) {
      starting_.push_back(second + scenario_.world.ready_delay.count() / 1000);
    }
    for (; replicas_ > count; --replicas_) {
      if (starting_.empty()) {
        --ready_;
      } else {
        starting_.pop_back();
      }
    }
  }

  const Scenario& scenario_;
  TextbookRule rule_;
  LoadCurve curve_;
  int replicas_ = 0;
  int ready_ = 0;
  std::deque<std::int64_t> starting_;  // when each of them is ready
  std::vector<double> totals_;
  std::deque<std::pair<std::int64_t, int>> recommendations_;
  Run run_;
};

}  // namespace

Run run_textbook(const Scenario& scenario, const TextbookRule& rule) {
  return Textbook(scenario, rule).play();
}

TextbookRule hpa_rule() {
  return {};
}

TextbookRule keda_rule() {
  return {1, 120};
}

TextbookRule hpa_rule_at_cost(const Scenario& scenario, double cost) {
  TextbookRule best = hpa_rule();
  double least = HUGE_VAL;
  for (int percent = 50; percent <= 100; ++percent) {
    TextbookRule rule = hpa_rule();
    rule.target_share = percent / 100.0;
    const Run played = run_textbook(scenario, rule);
    const double off =
        std::abs(figures_of(played, carries(scenario), 0, scenario.end.count() / 1000).cost - cost);
    if (off < least) {
      least = off;
      best = rule;
    }
  }
  return best;
}

}  // namespace scaledcache::sim
