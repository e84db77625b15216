#include "sim/fleet.h"

#include <algorithm>
#include <cmath>

namespace scaledcache::sim {
namespace {

constexpr Second kLongAgo = -10'000'000;

Second seconds(Milliseconds time) {
  return time.count() / 1000;
}

Second keep_for(const Scenario& scenario) {
  const Milliseconds answer = core::first_answer_window(scenario.policy);
  return seconds(answer) + 8 * seconds(scenario.world.scrape_interval) + 900;
}

}  // namespace

Fleet::Fleet(const Scenario& scenario)
    : scenario_(scenario),
      signals_(scenario.policy.signals.size()),
      now_(-seconds(scenario.policy.long_window)),
      scrape_every_(seconds(scenario.world.scrape_interval)),
      keep_(keep_for(scenario)),
      share_(signals_),
      shown_(signals_),
      sums_(signals_),
      refused_(signals_),
      sums_from_(now_),
      flows_(signals_) {
  for (const Load& load : scenario.loads) {
    curves_.emplace_back(load, scenario.world.seed);
  }
  for (std::size_t i = 0; i < signals_; ++i) {
    sums_[i].push_back(0);
    refused_[i].push_back(0);
  }
  replicas_ = scenario.world.replicas;
  for (int i = 0; i < replicas_; ++i) {
    order_pod(kLongAgo, false);
    pods_.back().ran_before = true;
  }
  set_baseline(scenario.world.baseline_pods);
  find_serving();
}

WallTime Fleet::wall(Second second) const {
  return scenario_.world.start + std::chrono::seconds{second};
}

std::int64_t Fleet::stamp(Second second) const {
  return wall(second).time_since_epoch().count();
}

const Fault* Fleet::find(FaultKind kind, std::size_t signal) const {
  const Milliseconds time = std::chrono::seconds{now_};
  for (const Fault& fault : scenario_.faults) {
    if (fault.kind == kind && time >= fault.from && time < fault.to &&
        (fault.signal.empty() || fault.signal == scenario_.policy.signals[signal].name)) {
      return &fault;
    }
  }
  return nullptr;
}

bool Fleet::has(FaultKind kind, std::size_t signal) const {
  return find(kind, signal) != nullptr;
}

// What of an offered rate is served; nobody refuses where there is no limit.
double Fleet::served_of(double offered) const {
  if (!scenario_.world.capacity) {
    return offered;
  }
  return std::min(offered, *scenario_.world.capacity * serving_);
}

void Fleet::flow() {
  for (std::size_t i = 0; i < signals_; ++i) {
    const double offered = curves_[i].at(now_);
    const double served = served_of(offered);
    const double refused = offered - served;
    const Fault* rejects = find(FaultKind::Rejects, i);
    refused_[i].push_back(refused_[i].back() + refused + (rejects == nullptr ? 0 : rejects->value));
    flows_[i] = {offered, curves_[i].plain(), refused};
    count(i, serving_ > 0 ? served : 0, serving_ > 0 ? served : offered);
  }
  ++now_;
}

// `served` is what the pods' counters see; a query that watches the door sees what comes even while
// nobody serves.
void Fleet::count(std::size_t signal, double served, double at_the_door) {
  const double per_pod = served / std::max(1, serving_);
  const bool frozen = has(FaultKind::Frozen, signal);
  if (!has(FaultKind::Zero, signal)) {
    share_[signal] += per_pod;
  }
  if (!frozen) {
    shown_[signal] = share_[signal];
  }
  sums_[signal].push_back(sums_[signal].back() + (frozen ? 0 : at_the_door));
}

void Fleet::settle() {
  for (std::size_t i = 0; i < signals_; ++i) {
    if (!has(FaultKind::Frozen, i)) {
      shown_[i] = share_[i];
    }
  }
  advance_rollout();
  bool changed = false;
  for (Pod& pod : pods_) {
    if (!pod.serving && !pod.gone_at && pod.ready_at <= now_) {
      start_pod(pod);
      changed = true;
    }
  }
  if (changed) {
    find_serving();
  }
  for (Pod& pod : pods_) {
    const Second phase = scenario_.world.spread_scrapes ? pod.number % scrape_every_ : 0;
    if ((now_ - phase) % scrape_every_ == 0) {
      scrape(pod);
    }
  }
  if (now_ % 60 == 0) {
    forget_old();
  }
}

void Fleet::start_pod(Pod& pod) {
  pod.serving = true;
  pod.up_since = pod.ready_at;
  pod.crashed_at.reset();
  pod.start = share_;
}

void Fleet::find_serving() {
  serving_ = static_cast<int>(
      std::count_if(pods_.begin(), pods_.end(), [](const Pod& pod) { return pod.serving; }));
}

void Fleet::order_pod(Second ready_at, bool baseline) {
  Pod pod;
  pod.number = next_number_++;
  pod.name = (baseline ? "node-" : "cache-") + std::to_string(pod.number);
  pod.baseline = baseline;
  pod.new_revision = rollout_.has_value();
  pod.ordered = now_;
  pod.ready_at = ready_at;
  pod.samples.resize(signals_);
  pod.failing.assign(signals_, 0);
  pods_.push_back(std::move(pod));
  if (ready_at <= now_) {
    start_pod(pods_.back());
  }
}

void Fleet::stop_pod(Pod& pod) {
  pod.gone_at = now_;
  pod.serving = false;
  pod.stopped_at = share_;
}

void Fleet::scale(int count, bool ours) {
  if (count != replicas_) {
    last_write_ = {ours, wall(now_)};
    written_ = true;
  }
  for (; replicas_ < count; ++replicas_) {
    order_pod(now_ + std::max<Second>(0, seconds(scenario_.world.ready_delay)), false);
  }
  for (; replicas_ > count; --replicas_) {
    remove_newest();
  }
  find_serving();
}

void Fleet::remove_newest() {
  const auto newest = std::find_if(pods_.rbegin(), pods_.rend(),
                                   [](const Pod& pod) { return !pod.gone_at && !pod.baseline; });
  if (newest != pods_.rend()) {
    stop_pod(*newest);
  }
}

void Fleet::remove_old(int count) {
  for (Pod& pod : pods_) {
    if (count > 0 && !pod.gone_at && !pod.baseline && !pod.new_revision) {
      stop_pod(pod);
      --count;
    }
  }
}

void Fleet::crash_one() {
  const auto found = std::find_if(pods_.begin(), pods_.end(),
                                  [](const Pod& pod) { return pod.serving && !pod.baseline; });
  if (found != pods_.end()) {
    found->serving = false;
    found->crashed_at = now_;
    found->ran_before = false;
    found->ready_at = now_ + std::max<Second>(1, seconds(scenario_.world.ready_delay));
    find_serving();
  }
}

void Fleet::reset_counters() {
  for (Pod& pod : pods_) {
    for (std::size_t i = 0; i < pod.start.size(); ++i) {
      pod.start[i] = shown_[i];
    }
  }
}

void Fleet::set_baseline(int pods) {
  for (; baseline_ < pods; ++baseline_) {
    order_pod(now_ <= sums_from_ ? kLongAgo : now_, true);
  }
  for (; baseline_ > pods; --baseline_) {
    const auto newest = std::find_if(pods_.rbegin(), pods_.rend(),
                                     [](const Pod& pod) { return !pod.gone_at && pod.baseline; });
    stop_pod(*newest);
  }
  find_serving();
}

void Fleet::roll_out(const RolloutPlan& plan) {
  for (Pod& pod : pods_) {
    pod.new_revision = false;
  }
  ++revision_;
  Rollout rollout;
  rollout.from = now_;
  rollout.to = now_ + std::max<Second>(1, seconds(plan.duration));
  rollout.surge = std::max(1, static_cast<int>(std::ceil(replicas_ * plan.surge - 1e-9)));
  rollout.batches = std::max(1, (replicas_ + rollout.surge - 1) / rollout.surge);
  rollout_ = rollout;
}

void Fleet::advance_rollout() {
  if (!rollout_) {
    return;
  }
  Rollout& rollout = *rollout_;
  const Second length = std::max<Second>(1, (rollout.to - rollout.from) / rollout.batches);
  if (rollout.outstanding > 0 && now_ >= rollout.batch_ready) {
    remove_old(rollout.outstanding);
    rollout.outstanding = 0;
    find_serving();
  }
  while (rollout.ordered < rollout.batches && now_ >= rollout.from + rollout.ordered * length) {
    const auto old = static_cast<int>(std::count_if(pods_.begin(), pods_.end(), [](const Pod& pod) {
      return !pod.gone_at && !pod.baseline && !pod.new_revision;
    }));
    const int size = std::min(rollout.surge, old - rollout.outstanding);
    rollout.batch_ready =
        now_ + std::min(length, std::max<Second>(1, seconds(scenario_.world.ready_delay)));
    for (int i = 0; i < size; ++i) {
      order_pod(rollout.batch_ready, false);
    }
    rollout.outstanding += std::max(0, size);
    ++rollout.ordered;
  }
  if (now_ >= rollout.to && rollout.outstanding == 0) {
    rollout_.reset();
  }
}

}  // namespace scaledcache::sim
