#include "core/counting.h"

#include <algorithm>

namespace scaledcache::core {
namespace {

constexpr double kMostRequests = 1e290;  // per increment, so that no sum overflows
constexpr double kHalfSecond = 500;      // in milliseconds

// When a container that started at `started` took over traffic: what it counted before is no
// demand. A pod that never was ready counts only where no pod is (overload).
double serving_since(const Answer& answer, const PodFacts& pod, double started, bool any_ready) {
  if (pod.ready_since && answer.at(*pod.ready_since) >= started) {
    return answer.at(*pod.ready_since);
  }
  if (pod.ready || !any_ready) {
    return started;
  }
  return kForever;
}

struct PodTimes {
  double started = -kForever;  // of its container, -∞ where unknown
  double serving = -kForever;
  double until = kForever;
};

std::vector<PodTimes> pod_times(const Answer& answer) {
  const bool any_ready = std::any_of(answer.pods.begin(), answer.pods.end(),
                                     [](const PodFacts& pod) { return pod.ready; });
  std::vector<PodTimes> times(answer.pods.size());
  for (std::size_t i = 0; i < answer.pods.size(); ++i) {
    const PodFacts& pod = answer.pods[i];
    if (pod.ready_until && !pod.ready && any_ready) {
      times[i].until = answer.at(*pod.ready_until);
    }
    if (pod.container_started) {
      times[i].started = answer.at(*pod.container_started);
      times[i].serving = serving_since(answer, pod, times[i].started, any_ready);
    }
  }
  return times;
}

// What may be taken off each pod's increments; a request counts in the middle of its second.
std::vector<OwnShare> own_shares(const Answer& answer) {
  std::vector<OwnShare> shares(answer.pods.size());
  for (std::size_t i = 0; answer.question.counts_own && i < answer.pods.size(); ++i) {
    std::vector<OwnShare::Part> parts;
    for (const OwnRequests& own : answer.pods[i].own) {
      parts.push_back({answer.at(own.second) + kHalfSecond, static_cast<double>(own.count)});
    }
    shares[i] = OwnShare(std::move(parts));
  }
  return shares;
}

// Walks one series. A standstill of two scrapes ends in an increment that was served during it, if
// the pod had been serving before.
class SeriesWalk {
 public:
  // `own` is nullptr where samples cannot be mapped.
  SeriesWalk(
      const Answer& answer, const CountedSeries& series, PodTimes pod, OwnShare* own, Counted& into)
      : answer_(answer), series_(series), pod_(pod), own_(own), into_(into) {}

  void walk(double gaps_since) {
    bool any = false;
    for (const Sample& sample : series_.series->samples) {
      if (std::isnan(sample.value)) {
        continue;
      }
      const double time = answer_.at(sample.time_ms);
      if (!any) {
        begin(time, sample.value);
        any = true;
      } else if (time > time_) {
        into_.any_gap = true;
        step(time, sample.value);
        if (time > gaps_since) {
          into_.longest_gap = std::max(into_.longest_gap, time - time_);
        }
      }
      time_ = time;
      value_ = sample.value;
    }
  }

 private:
  void begin(double time, double value) {
    if (pod_.started >= 0) {
      add_first(pod_.serving, time, without_own(pod_.started, time, value));
    } else {
      into_.covered_since = std::max(into_.covered_since, time);
    }
  }

  void step(double time, double value) {
    const bool fell = value < value_;
    const double shown = fell ? value : value - value_;
    if (shown <= 0) {
      still_since_ = still_scrapes_++ == 0 ? time_ : still_since_;
      return;
    }
    const bool restarted = fell && pod_.started > time_ && pod_.started <= time;
    const bool warmed_up = pod_.started <= time_ && pod_.serving > time_;
    const double requests = shown_by_others(time, shown, fell, restarted);
    if (restarted || warmed_up) {
      add_first(std::max(pod_.serving, time_), time, requests);
    } else {
      add(time, requests);
    }
    moved_ = true;
    still_scrapes_ = 0;
  }

  // Without our own: those that this gap, or a standstill before it, can show. The scrape before
  // counts along for what it was a moment too early for. Of a process that began anew somewhere
  // in the gap nobody knows which of them it has counted.
  double shown_by_others(double time, double shown, bool fell, bool restarted) {
    if (fell) {
      own_since_ = time;
      return restarted ? without_own(pod_.started, time, shown) : shown;
    }
    const double since = still_scrapes_ > 0 ? still_since_ : time_;
    const double early = since - static_cast<double>(answer_.scrape.count());
    return without_own(std::max(early, own_since_), time, shown);
  }

  double without_own(double from, double to, double shown) {
    const double own = own_ == nullptr ? 0 : own_->take(from, to, shown);
    if (own > 0) {
      into_.own_until = std::max(into_.own_until, to);
    }
    return shown - own;
  }

  void add(double time, double requests) {
    double from = time_;
    if (still_scrapes_ >= kStandstillScrapes && (moved_ ? served_ : answer_.question.has_served)) {
      if (!moved_) {
        return;  // it stood still before the answer begins: nobody knows when this was served
      }
      from = still_since_;
      if (last_) {
        extend(time, requests);
        return;
      }
    }
    // What a pod counted in the gap in which it went away, it had counted before it went.
    const double to = pod_.until > from ? std::min(time, pod_.until) : time;
    last_ = into_.increments.size();
    into_.increments.push_back({from, to, std::min(requests, kMostRequests), series_.pod});
    served_ = served_ || requests * 1000 > kServing * (time - from);
  }

  // It began to stand still somewhere in the gap of the increment before: both are one.
  void extend(double time, double requests) {
    Increment& before = into_.increments[*last_];
    before.to = time;
    before.requests = std::min(before.requests + requests, kMostRequests);
  }

  void add_first(double from, double time, double requests) {
    if (from < time && requests > 0) {
      into_.first.push_back({from, time, std::min(requests, kMostRequests), series_.pod});
    }
  }

  const Answer& answer_;
  const CountedSeries& series_;
  PodTimes pod_;
  OwnShare* own_;
  Counted& into_;
  double time_ = 0;
  double value_ = 0;
  double still_since_ = 0;
  int still_scrapes_ = 0;
  double own_since_ = -kForever;       // what we sent before, a process counted that is gone
  std::optional<std::size_t> last_{};  // the newest increment of this series
  bool moved_ = false;                 // there was an increment before
  bool served_ = false;                // at more than one request per second
};

// Requests per millisecond that one of the other pods served on average in the time of `first`.
std::optional<double> mean_of_others(const Increment& first,
                                     std::span<const Increment> increments,
                                     const Weights& weights) {
  double requests = 0;
  double time = 0;
  for (const Increment& other : increments) {
    if (other.pod == first.pod || other.to <= first.from || other.from >= first.to) {
      continue;
    }
    requests += other.requests * (weights.part_before(first.to, other.from, other.to) -
                                  weights.part_before(first.from, other.from, other.to));
    time += std::min(first.to, other.to) - std::max(first.from, other.from);
  }
  return time > 0 ? std::optional(requests / time) : std::nullopt;
}

// A first count is believed up to what the other pods served meanwhile; where there are none, not
// at all.
void admit_first_counts(Counted& counted, const Weights& weights) {
  const std::size_t regular = counted.increments.size();
  for (const Increment& first : counted.first) {
    const std::span<const Increment> others(counted.increments.data(), regular);
    if (const auto mean = mean_of_others(first, others, weights)) {
      Increment capped = first;
      capped.requests = std::min(first.requests, *mean * (first.to - first.from));
      counted.increments.push_back(capped);
    }
  }
}

}  // namespace

void find_end(Answer& answer) {
  answer.newest = -kForever;
  for (const CountedSeries& series : answer.chosen.series) {
    answer.newest = std::max(answer.newest, answer.at(series.newest_ms));
  }
  answer.end = answer.newest;
  for (const CountedSeries& series : answer.chosen.series) {
    if (answer.is_current(series)) {
      answer.any_current = true;
      answer.end = std::min(answer.end, answer.at(series.newest_ms));
    }
  }
}

void judge_pods(Answer& answer) {
  answer.judged.assign(answer.pods.size(), 0);
  answer.covered.assign(answer.pods.size(), 0);
  const auto two_scrapes = kJudgedScrapes * static_cast<double>(answer.scrape.count());
  for (std::size_t i = 0; i < answer.pods.size(); ++i) {
    const PodFacts& pod = answer.pods[i];
    const bool ours = pod.belongs || pod.baseline;
    const bool stays = pod.phase != PodPhase::Failed && pod.phase != PodPhase::Succeeded;
    const bool long_enough =
        pod.ready_since && answer.newest - answer.at(*pod.ready_since) >= two_scrapes;
    answer.judged[i] =
        static_cast<char>(ours && pod.ready && stays && !pod.terminating && long_enough);
  }
  for (const CountedSeries& series : answer.chosen.series) {
    if (series.pod >= 0 && answer.is_current(series)) {
      answer.covered[static_cast<std::size_t>(series.pod)] = 1;
    }
  }
}

Weights weights_of(const Answer& answer) {
  std::vector<Weights::Serving> ready;
  std::vector<Weights::Serving> running;
  for (const PodFacts& pod : answer.pods) {
    double until = kForever;
    if (pod.ready_until && !pod.ready) {
      until = answer.at(*pod.ready_until);
    }
    if (pod.ready_since) {
      ready.push_back({answer.at(*pod.ready_since), until});
    }
    if (pod.container_started) {
      const bool stays = !pod.terminating && pod.phase == PodPhase::Running;
      if (stays) {
        until = kForever;
      }
      running.push_back({answer.at(*pod.container_started), until});
    }
  }
  return Weights(ready, running, 0, answer.now);
}

Counted count(const Answer& answer, const Weights& weights) {
  Counted counted;
  std::size_t samples = 0;
  for (const CountedSeries& series : answer.chosen.series) {
    samples += series.series->samples.size();
  }
  counted.increments.reserve(samples);
  const std::vector<PodTimes> times = pod_times(answer);
  std::vector<OwnShare> own = own_shares(answer);
  const auto four = static_cast<double>(4 * interval_of(answer.scrape).count());
  for (const CountedSeries& series : answer.chosen.series) {
    const auto pod = static_cast<std::size_t>(series.pod);
    const bool mapped = series.pod >= 0;
    if (mapped && answer.judged[pod] != 0 && answer.covered[pod] == 0) {
      continue;  // silent pods are left out, whole
    }
    SeriesWalk(answer, series, mapped ? times[pod] : PodTimes{}, mapped ? &own[pod] : nullptr,
               counted)
        .walk(answer.end - four);
  }
  admit_first_counts(counted, weights);
  return counted;
}

}  // namespace scaledcache::core
