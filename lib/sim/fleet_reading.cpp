// What the backend and the cluster show of the fleet.
#include <algorithm>
#include <array>
#include <cmath>

#include "sim/fleet.h"

namespace scaledcache::sim {
namespace {

struct FailedQuery {
  FaultKind kind;
  core::Fault fault;
};

// Answers that carry no number at all, whatever the signal.
constexpr std::array kFailedQueries{
    FailedQuery{FaultKind::Empty, core::Fault::EmptyAnswer},
    FailedQuery{FaultKind::Garbage, core::Fault::NotANumber},
    FailedQuery{FaultKind::Text, core::Fault::WrongType},
    FailedQuery{FaultKind::Matrix, core::Fault::WrongType},
    FailedQuery{FaultKind::TwoSeries, core::Fault::SeveralElements},
    FailedQuery{FaultKind::StatusError, core::Fault::QueryError},
    FailedQuery{FaultKind::Http400, core::Fault::QueryError},
    FailedQuery{FaultKind::Http503, core::Fault::BackendUnreachable},
    FailedQuery{FaultKind::Refused, core::Fault::BackendUnreachable},
    FailedQuery{FaultKind::Timeout, core::Fault::Timeout},
};

struct BadNumber {
  FaultKind kind;
  double value;
};

const std::array kBadNumbers{
    BadNumber{FaultKind::NotANumber, std::nan("")},
    BadNumber{FaultKind::PlusInfinity, HUGE_VAL},
    BadNumber{FaultKind::MinusInfinity, -HUGE_VAL},
    BadNumber{FaultKind::Negative, -1},
    BadNumber{FaultKind::Zero, 0},
    BadNumber{FaultKind::Huge, 1e308},
};

Second seconds(Milliseconds time) {
  return time.count() / 1000;
}

}  // namespace

const core::Observation& Fleet::observe(const core::Policy& policy, const core::History& history) {
  observation_.replicas = replicas_;
  observation_.last_write.reset();
  if (written_) {
    observation_.last_write = last_write_;
  }
  observe_pods();
  observation_.baseline_ready = baseline_;
  observation_.rollout.reset();
  if (rollout_) {
    observation_.rollout = core::Rollout{std::to_string(revision_), wall(rollout_->from)};
  }
  observation_.signals.clear();
  for (std::size_t i = 0; i < signals_; ++i) {
    observation_.signals.push_back(read(policy, history, i));
  }
  return observation_;
}

void Fleet::observe_pods() {
  observation_.pods = {};
  observation_.warming_since.clear();
  observation_.warmed.clear();
  facts_.clear();
  const Second warm_delay = seconds(scenario_.world.warm_delay);
  for (Pod& pod : pods_) {
    list_pod(pod);
    if (pod.gone_at || pod.baseline) {
      continue;
    }
    observation_.pods.ready += facts_.back().ready ? 1 : 0;
    const bool warm = pod.serving && now_ >= pod.ready_at + warm_delay;
    observation_.pods.warm += warm ? 1 : 0;
    if (!warm) {
      observation_.warming_since.push_back(wall(pod.crashed_at.value_or(pod.ordered)));
    } else if (!pod.warm_reported && !pod.ran_before && pod.ordered >= 0) {
      observation_.warmed.push_back(std::chrono::seconds{pod.ready_at + warm_delay - pod.ordered});
    }
    pod.warm_reported = pod.warm_reported || warm;
  }
  observation_.pods.warming = static_cast<int>(observation_.warming_since.size());
  list_others(FaultKind::Failed, core::PodPhase::Failed, false, "failed-");
  list_others(FaultKind::Terminating, core::PodPhase::Running, true, "terminating-");
  list_others(FaultKind::Succeeded, core::PodPhase::Succeeded, false, "succeeded-");
}

void Fleet::list_pod(const Pod& pod) {
  core::PodFacts& facts = facts_.emplace_back();
  facts.name = pod.name;
  facts.belongs = !pod.baseline;
  facts.baseline = pod.baseline;
  facts.ready = pod.serving;
  facts.terminating = pod.gone_at.has_value();
  const bool ever = !pod.start.empty();
  if (!ever) {
    facts.phase = core::PodPhase::Pending;
    return;
  }
  const Second started = pod.up_since;
  facts.ready_since = wall(started);
  facts.container_started = facts.ready_since;
  if (pod.gone_at) {
    facts.ready_until = wall(*pod.gone_at);
  } else if (pod.crashed_at) {
    facts.ready_until = wall(*pod.crashed_at);
  }
  for (const Fault& fault : scenario_.faults) {
    const Second from = seconds(fault.from);
    const Second to = seconds(fault.to);
    if (fault.kind != FaultKind::Unready || pod.baseline || now_ < from) {
      continue;
    }
    if (now_ < to) {
      facts.ready = false;
      facts.ready_until = wall(from);
      if (started >= from) {
        facts.ready_since.reset();
      }
    } else if (pod.serving) {
      facts.ready_since = wall(std::max(started, to));
    }
  }
}

void Fleet::list_others(FaultKind kind, core::PodPhase phase, bool terminating, const char* name) {
  const Fault* fault = find(kind, 0);
  const int count = fault == nullptr ? 0 : static_cast<int>(fault->value);
  for (int i = 0; i < count; ++i) {
    core::PodFacts& facts = facts_.emplace_back();
    facts.name = name + std::to_string(i);
    facts.phase = phase;
    facts.terminating = terminating;
    facts.container_started = wall(-86'400);
  }
}

core::SignalReading Fleet::read(const core::Policy& policy,
                                const core::History& history,
                                std::size_t signal) {
  core::Question question = core::question_for(policy, policy.signals[signal], history, wall(now_));
  const Fault* clock = find(FaultKind::Clock, signal);
  question.backend_now = question.now + (clock == nullptr ? Milliseconds{0} : clock->offset);
  for (const FailedQuery& failed : kFailedQueries) {
    if (has(failed.kind, signal)) {
      return core::unusable(failed.fault);
    }
  }
  const bool counter = policy.signals[signal].kind == core::SignalKind::Counter;
  core::SignalReading reading =
      counter ? read_counter(question, signal) : read_query(question, signal);
  reading.saturation = saturation(signal, policy.short_window);
  return reading;
}

core::SignalReading Fleet::read_counter(const core::Question& question, std::size_t signal) {
  collect(question, signal);
  core::SignalReading reading = core::read_counter(question, {answer_.data(), answers_}, facts_);
  if (reading.standing_still && scenario_.sources[signal].shows_uptime) {
    const bool stuck = has(FaultKind::Zero, signal) || has(FaultKind::Frozen, signal);
    reading.pulse = stuck ? core::Pulse::Still : core::Pulse::Moving;
  }
  return reading;
}

// Puts the samples of the question's window into `answer_`, reusing what is there.
void Fleet::collect(const core::Question& question, std::size_t signal) {
  const Fault* delay = find(FaultKind::Delay, signal);
  const std::int64_t to = stamp(now_) - (delay == nullptr ? 0 : delay->offset.count());
  const std::int64_t from = stamp(now_) - question.window.count();
  const std::int64_t shift = (*question.backend_now - question.now).count();
  answers_ = 0;
  const auto put = [&](const Pod& pod, const char* job, std::int64_t since, std::int64_t until) {
    const std::vector<core::Sample>& samples = pod.samples[signal];
    const auto earlier = [](const core::Sample& sample, std::int64_t time) {
      return sample.time_ms < time;
    };
    const auto first = std::lower_bound(samples.begin(), samples.end(), since, earlier);
    const auto last = std::lower_bound(first, samples.end(), until + 1, earlier);
    if (first == last) {
      return;
    }
    if (answers_ == answer_.size()) {
      answer_.push_back({{{"pod", ""}, {"job", ""}, {"instance", ""}}, {}});
    }
    core::Series& series = answer_[answers_++];
    series.labels[0].value = pod.name;
    series.labels[1].value = job;
    series.labels[2].value = pod.name;
    series.samples.assign(first, last);
    for (core::Sample& sample : series.samples) {
      sample.time_ms += shift;
    }
  };
  for (const Pod& pod : pods_) {
    put(pod, "cache", from, to);
  }
  for (const Fault& fault : scenario_.faults) {
    if (fault.kind == FaultKind::Duplicate && now_ >= seconds(fault.from)) {
      for (const Pod& pod : pods_) {
        put(pod, "again", std::max(from, stamp(seconds(fault.from))),
            std::min(to, stamp(seconds(fault.to)) - 1));
      }
    }
  }
}

core::SignalReading Fleet::read_query(const core::Question& question, std::size_t signal) {
  for (const BadNumber& bad : kBadNumbers) {
    if (has(bad.kind, signal)) {
      return core::read_value(question, bad.value);
    }
  }
  const Fault* delay = find(FaultKind::Delay, signal);
  const Fault* stale = find(FaultKind::Stale, signal);
  Second end = now_ - (delay == nullptr ? 0 : seconds(delay->offset));
  const Second window = seconds(question.short_window);
  if (stale != nullptr) {
    end = std::min(end, seconds(stale->from));
    if (now_ - end >= window) {
      return core::unusable(core::Fault::EmptyAnswer);  // the range selector holds nothing any more
    }
  }
  const Fault* partial = find(FaultKind::Partial, signal);
  const double seen = 1 - (partial == nullptr ? 0 : partial->value);
  std::optional<Milliseconds> age;
  if (scenario_.sources[signal].has_age) {
    age = std::chrono::seconds{now_ - end};
  }
  core::SignalReading reading =
      core::read_value(question, seen * counted_between(signal, end - window, end), age);
  if (question.history_step) {
    fill_history(reading, question, signal);
  }
  return reading;
}

// What one range query over the long window gives.
void Fleet::fill_history(core::SignalReading& reading,
                         const core::Question& question,
                         std::size_t signal) const {
  const Second step = std::max<Second>(1, seconds(*question.history_step));
  const Second window = seconds(question.short_window);
  const Second reach = seconds(scenario_.policy.long_window);
  for (Second end = now_ - reach; end < now_; end += step) {
    if (end - window >= sums_from_) {
      reading.history.push_back({wall(end), counted_between(signal, end - window, end)});
    }
  }
}

double Fleet::counted_between(std::size_t signal, Second from, Second to) const {
  const auto index = [&](Second second) {
    return static_cast<std::size_t>(
        std::clamp<Second>(second - sums_from_, 0, static_cast<Second>(sums_[signal].size()) - 1));
  };
  const double counted = sums_[signal][index(to)] - sums_[signal][index(from)];
  return to > from ? counted / static_cast<double>(to - from) : 0;
}

std::optional<double> Fleet::saturation(std::size_t signal, Milliseconds window) const {
  const std::string& query = scenario_.sources[signal].saturation_query;
  const std::vector<double>& refused = refused_[signal];
  switch (core::saturation_kind_of(query)) {
    case core::SaturationKind::None:
      return std::nullopt;
    case core::SaturationKind::Gauge:
      return refused.size() > 1 ? refused.back() - refused[refused.size() - 2] : 0;
    case core::SaturationKind::Rate:
      break;
  }
  const auto back = std::min(static_cast<std::size_t>(seconds(window)), refused.size() - 1);
  return (refused.back() - refused[refused.size() - 1 - back]) /
         static_cast<double>(seconds(window));
}

}  // namespace scaledcache::sim
