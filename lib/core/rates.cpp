#include "core/rates.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/increments.h"
#include "core/series.h"

namespace scaledcache::core {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();
constexpr double kMostRequests = 1e290;         // per increment, so that no sum overflows
constexpr Milliseconds kUnknownScrape{15'000};  // until two samples of a series were seen
constexpr double kServing = 1.0;  // requests per second above which a pod's silence is suspicious

// One answer on its way to a reading. Times are milliseconds of the backend's clock after `origin`,
// so that doubles keep them exact.
struct Answer {
  const Question& question;
  std::span<const PodFacts> pods;
  ChosenSeries chosen;
  std::int64_t origin_ms = 0;  // where the answer's window begins
  double now = 0;
  Milliseconds clock_shift{0};  // the backend's clock less ours
  Milliseconds scrape{0};
  std::vector<char> judged{};   // by pod
  std::vector<char> covered{};  // by pod
  double newest = 0;            // newest value of any series
  double end = 0;               // E: windows end here
  bool any_current = false;

  // A time of ours, as a time of the answer.
  [[nodiscard]] double at(WallTime ours) const {
    return static_cast<double>((ours + clock_shift).time_since_epoch().count() - origin_ms);
  }

  [[nodiscard]] double at(std::int64_t time_ms) const {
    return static_cast<double>(time_ms - origin_ms);
  }

  [[nodiscard]] WallTime ours(double time) const {
    return WallTime{Milliseconds{origin_ms + std::llround(time)}} - clock_shift;
  }

  [[nodiscard]] bool is_current(const CountedSeries& series) const {
    return !series.ended &&
           at(series.newest_ms) >= newest - 1.5 * static_cast<double>(scrape.count());
  }
};

// When a container that started at `started` took over traffic: what it counted before is no
// demand. A pod that never was ready counts only where no pod is (overload).
double serving_since(const Answer& answer, const PodFacts& pod, double started, bool any_ready) {
  if (pod.ready_since && answer.at(*pod.ready_since) >= started) {
    return answer.at(*pod.ready_since);
  }
  return pod.ready || !any_ready ? started : kForever;
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

Weights weights_of(const Answer& answer) {
  std::vector<Weights::Serving> ready;
  std::vector<Weights::Serving> running;
  for (const PodFacts& pod : answer.pods) {
    const double until = pod.ready_until ? answer.at(*pod.ready_until) : kForever;
    if (pod.ready_since) {
      ready.push_back({answer.at(*pod.ready_since), pod.ready ? kForever : until});
    }
    if (pod.container_started) {
      const bool gone = pod.terminating || pod.phase != PodPhase::Running;
      running.push_back({answer.at(*pod.container_started), gone ? until : kForever});
    }
  }
  return Weights(ready, running, 0, answer.now);
}

// Judged: ready for at least two scrapes that the answer can show, neither finished nor on its way
// out.
void judge_pods(Answer& answer) {
  answer.judged.assign(answer.pods.size(), 0);
  answer.covered.assign(answer.pods.size(), 0);
  const auto two_scrapes = static_cast<double>(2 * answer.scrape.count());
  for (std::size_t i = 0; i < answer.pods.size(); ++i) {
    const PodFacts& pod = answer.pods[i];
    const bool stays = pod.phase != PodPhase::Failed && pod.phase != PodPhase::Succeeded;
    const bool long_enough =
        pod.ready_since && answer.newest - answer.at(*pod.ready_since) >= two_scrapes;
    answer.judged[i] = static_cast<char>(pod.ready && stays && !pod.terminating && long_enough);
  }
  for (const CountedSeries& series : answer.chosen.series) {
    if (series.pod >= 0 && answer.is_current(series)) {
      answer.covered[static_cast<std::size_t>(series.pod)] = 1;
    }
  }
}

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

// What of an answer is a rate: increments whose time is known, and first counts whose time is known
// but whose size needs a look at the other pods.
struct Counted {
  std::vector<Increment> increments;
  std::vector<Increment> first;      // since a container's start
  double covered_since = -kForever;  // every older series has a value here
  double longest_gap = 0;            // between scrapes, in the newest intervals
};

// Walks one series. A standstill of two scrapes ends in an increment that was served during it, if
// the pod had been serving before.
class SeriesWalk {
 public:
  SeriesWalk(const Answer& answer, const CountedSeries& series, PodTimes pod, Counted& into)
      : answer_(answer), series_(series), pod_(pod), into_(into) {}

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
      add_first(pod_.serving, time, value);
    } else {
      into_.covered_since = std::max(into_.covered_since, time);
    }
  }

  void step(double time, double value) {
    const bool fell = value < value_;
    const double requests = fell ? value : value - value_;
    if (requests <= 0) {
      still_since_ = still_scrapes_++ == 0 ? time_ : still_since_;
      return;
    }
    const bool restarted = fell && pod_.started > time_ && pod_.started <= time;
    const bool warmed_up = pod_.started <= time_ && pod_.serving > time_;
    if (restarted || warmed_up) {
      add_first(std::max(pod_.serving, time_), time, requests);
    } else {
      add(time, requests);
    }
    moved_ = true;
    still_scrapes_ = 0;
  }

  void add(double time, double requests) {
    double from = time_;
    if (still_scrapes_ >= 2 && (moved_ ? served_ : answer_.question.has_served)) {
      if (!moved_) {
        return;  // it stood still before the answer begins: nobody knows when this was served
      }
      from = still_since_;
    }
    // What a pod counted in the gap in which it went away, it had counted before it went.
    const double to = pod_.until > from ? std::min(time, pod_.until) : time;
    into_.increments.push_back({from, to, std::min(requests, kMostRequests), series_.pod});
    served_ = served_ || requests * 1000 > kServing * (time - from);
  }

  void add_first(double from, double time, double requests) {
    if (from < time && requests > 0) {
      into_.first.push_back({from, time, std::min(requests, kMostRequests), series_.pod});
    }
  }

  const Answer& answer_;
  const CountedSeries& series_;
  PodTimes pod_;
  Counted& into_;
  double time_ = 0;
  double value_ = 0;
  double still_since_ = 0;
  int still_scrapes_ = 0;
  bool moved_ = false;   // there was an increment before
  bool served_ = false;  // at more than one request per second
};

Counted count(const Answer& answer) {
  Counted counted;
  std::size_t samples = 0;
  for (const CountedSeries& series : answer.chosen.series) {
    samples += series.series->samples.size();
  }
  counted.increments.reserve(samples);
  const std::vector<PodTimes> times = pod_times(answer);
  const auto four = static_cast<double>(4 * interval_of(answer.scrape).count());
  for (const CountedSeries& series : answer.chosen.series) {
    const auto pod = static_cast<std::size_t>(series.pod);
    const bool mapped = series.pod >= 0;
    if (mapped && answer.judged[pod] != 0 && answer.covered[pod] == 0) {
      continue;  // silent pods are left out, whole
    }
    SeriesWalk(answer, series, mapped ? times[pod] : PodTimes{}, counted).walk(answer.end - four);
  }
  return counted;
}

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

double rate_between(double requests, double milliseconds) {
  return milliseconds > 0 ? std::max(0.0, requests) * 1000 / milliseconds : 0;
}

void measure(SignalReading& reading,
             const Answer& answer,
             const Counted& counted,
             const Weights& weights) {
  const auto s = static_cast<double>(reading.interval.count());
  const auto shorter = static_cast<double>(answer.question.short_window.count());
  const double e = answer.end;
  const double two_scrapes = e - 2 * static_cast<double>(answer.scrape.count());
  std::array edges{e - shorter, e - 4 * s, e - 3 * s, e - 2 * s, e - s, two_scrapes, e};
  std::sort(edges.begin(), edges.end());
  const std::vector<double> sums = requests_up_to(edges, counted.increments, weights);
  const auto up_to = [&](double edge) {
    return sums[static_cast<std::size_t>(std::lower_bound(edges.begin(), edges.end(), edge) -
                                         edges.begin())];
  };
  reading.short_rate = rate_between(up_to(e) - up_to(e - shorter), shorter);
  for (std::size_t k = 0; k < reading.delta.size(); ++k) {
    const double to = e - static_cast<double>(k) * s;
    reading.delta[k] = rate_between(up_to(to) - up_to(to - s), s);
    reading.complete_intervals += to - s >= counted.covered_since ? 1 : 0;
  }
  reading.has_served = answer.question.has_served || reading.short_rate > kServing ||
                       *std::max_element(reading.delta.begin(), reading.delta.end()) > kServing;
  reading.standing_still = reading.has_served && up_to(e) - up_to(two_scrapes) <= 0;
  reading.gapless = counted.longest_gap <= 1.5 * static_cast<double>(answer.scrape.count());
}

// The short window's rate at every step of the past that the answer covers.
void fill_history(SignalReading& reading,
                  const Answer& answer,
                  const Counted& counted,
                  const Weights& weights) {
  const auto step = static_cast<double>(answer.question.history_step->count());
  const auto shorter = static_cast<double>(answer.question.short_window.count());
  const double since = std::max(counted.covered_since, 0.0) + shorter;
  std::vector<double> ends;
  for (double end = answer.end - step; end >= since; end -= step) {
    ends.push_back(end);
  }
  std::reverse(ends.begin(), ends.end());
  std::vector<double> starts = ends;
  for (double& start : starts) {
    start -= shorter;
  }
  const std::vector<double> up_to_end = requests_up_to(ends, counted.increments, weights);
  const std::vector<double> up_to_start = requests_up_to(starts, counted.increments, weights);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    reading.history.push_back(
        {answer.ours(ends[i]), rate_between(up_to_end[i] - up_to_start[i], shorter)});
  }
}

void judge_coverage(SignalReading& reading, const Answer& answer) {
  for (std::size_t i = 0; i < answer.pods.size(); ++i) {
    const bool covered = answer.covered[i] != 0;
    reading.judged_pods += answer.judged[i] != 0 ? 1 : 0;
    reading.covered_pods += answer.judged[i] != 0 && covered ? 1 : 0;
    reading.baseline_covered += answer.pods[i].baseline && answer.pods[i].ready && covered ? 1 : 0;
  }
  reading.coverage = answer.any_current ? 1 : 0;
  if (reading.judged_pods > 0) {
    reading.coverage = static_cast<double>(reading.covered_pods) / reading.judged_pods;
  }
}

struct HealthRow {
  bool applies;
  Health health;
  Fault fault;
};

// decision.md section 3: the first row that applies.
void judge_health(SignalReading& reading, const Question& question) {
  const Milliseconds limit = question.max_sample_age.value_or(
      std::max(Milliseconds{30'000}, 3 * reading.scrape_interval.value_or(Milliseconds{0})));
  const bool too_old = reading.sample_age && *reading.sample_age > limit;
  const std::array rows{
      HealthRow{too_old, Health::Stale, Fault::TooOld},
      HealthRow{reading.coverage < 0.5, Health::Stale, Fault::LowCoverage},
      HealthRow{reading.coverage < 0.9, Health::Partial, Fault::MissingPods},
      HealthRow{question.partial_answer, Health::Partial, Fault::PartialAnswer},
      HealthRow{true, Health::Fresh, Fault::None},
  };
  const auto row =
      std::find_if(rows.begin(), rows.end(), [](const HealthRow& one) { return one.applies; });
  reading.health = row->health;
  reading.fault = row->fault;
}

// What is seen of the traffic when some pods are silent, made up to the whole.
void compensate(SignalReading& reading) {
  if (reading.coverage <= 0) {
    return;
  }
  reading.short_rate /= reading.coverage;
  for (double& delta : reading.delta) {
    delta /= reading.coverage;
  }
}

SignalReading without_series(const Answer& answer, std::span<const Series> series) {
  if (series.empty()) {
    return unusable(Fault::EmptyAnswer);
  }
  SignalReading reading = unusable(Fault::EmptyAnswer);
  reading.bad_series = answer.chosen.bad;
  reading.foreign_series = answer.chosen.foreign;
  if (answer.chosen.bad > 0) {
    reading.fault = Fault::BadSample;
    reading.health = Health::Invalid;
  } else if (answer.chosen.foreign > 0) {
    reading.health = Health::Invalid;
    reading.labels_seen = label_names(series);
    reading.likely_pod_label = likely_pod_label(series, answer.pods);
    const std::string& label = answer.question.signal.pod_label;
    const bool has_label = std::any_of(series.begin(), series.end(), [&](const Series& one) {
      return !label_of(one, label).empty();
    });
    reading.fault =
        has_label && reading.likely_pod_label.empty() ? Fault::ScopeMismatch : Fault::NoPodLabel;
  }
  return reading;
}

// The backend's clock less ours. A Date header knows only whole seconds: a small difference is
// none.
Milliseconds clock_shift_of(const Question& question) {
  constexpr Milliseconds kNoise{2'000};
  const Milliseconds shift = question.backend_now.value_or(question.now) - question.now;
  return shift > -kNoise && shift < kNoise ? Milliseconds{0} : shift;
}

}  // namespace

const std::vector<std::string>& default_scrape_labels() {
  static const std::vector<std::string> labels{
      "job",        "instance",           "endpoint", "service",    "container",
      "prometheus", "prometheus_replica", "replica",  "__replica__"};
  return labels;
}

Question question_for(const Policy& policy,
                      const SignalPolicy& signal,
                      const History& history,
                      WallTime now) {
  Question question;
  question.signal = signal;
  question.short_window = policy.short_window;
  question.max_sample_age = policy.max_sample_age;
  question.now = now;
  const SignalHistory* known = find_signal(history, signal.name);
  if (known == nullptr || !known->filled) {
    question.window = first_answer_window(policy);
    question.history_step = std::max(policy.poll_interval, policy.long_window / 360);
  }
  if (known != nullptr) {
    question.scrape_interval = known->scrape_interval;
    if (known->filled) {
      question.window = answer_window(policy, known->scrape_interval, known->lag);
    }
    question.has_served = known->has_served &&
                          (!known->served_since || *known->served_since <= now - question.window);
  }
  return question;
}

SignalReading read_counter(const Question& question,
                           std::span<const Series> series,
                           std::span<const PodFacts> pods) {
  Answer answer{question, pods, {}};
  answer.clock_shift = clock_shift_of(question);
  answer.chosen = choose_series(series, pods, question.signal.pod_label, question.scrape_labels);
  if (answer.chosen.series.empty()) {
    return without_series(answer, series);
  }
  const auto learned = learn_interval(answer.chosen.series);
  answer.scrape = learned ? *learned : question.scrape_interval.value_or(kUnknownScrape);
  const WallTime backend_now = question.now + answer.clock_shift;
  answer.origin_ms = (backend_now - question.window).time_since_epoch().count();
  answer.now = static_cast<double>(question.window.count());
  find_end(answer);
  judge_pods(answer);

  SignalReading reading;
  reading.scrape_interval = learned ? learned : question.scrape_interval;
  reading.interval = interval_of(reading.scrape_interval);
  reading.foreign_series = answer.chosen.foreign;
  reading.duplicate_series = answer.chosen.duplicates;
  reading.bad_series = answer.chosen.bad;
  reading.newest_sample = WallTime{Milliseconds{answer.origin_ms + std::llround(answer.newest)}};
  reading.measured = answer.ours(answer.end);
  if (question.backend_now) {
    reading.sample_age = std::max(Milliseconds{0}, *question.backend_now - *reading.newest_sample);
  }
  judge_coverage(reading, answer);

  Counted counted = count(answer);
  const Weights weights = weights_of(answer);
  admit_first_counts(counted, weights);
  judge_health(reading, question);
  if (is_usable(reading.health) && counted.increments.empty() &&
      counted.covered_since >= answer.end) {
    reading.health = Health::Missing;
    reading.fault = Fault::TooFewSamples;
    return reading;
  }
  measure(reading, answer, counted, weights);
  if (question.history_step) {
    fill_history(reading, answer, counted, weights);
  }
  compensate(reading);
  return reading;
}

SignalReading read_value(const Question& question, double value, std::optional<Milliseconds> age) {
  if (std::isnan(value)) {
    SignalReading bad = unusable(Fault::NotANumber);
    bad.health = Health::Invalid;
    return bad;
  }
  if (std::isinf(value) || value < 0) {
    SignalReading bad = unusable(std::isinf(value) ? Fault::Infinite : Fault::Negative);
    bad.health = Health::Invalid;
    return bad;
  }
  SignalReading reading;
  reading.delta = {value, value, value, value};
  reading.complete_intervals = 4;
  reading.short_rate = value;
  reading.sample_age = age;
  reading.measured = question.now - age.value_or(Milliseconds{0});
  reading.has_served = question.has_served || value > kServing;
  judge_health(reading, question);
  return reading;
}

SignalReading unusable(Fault fault) {
  SignalReading reading;
  reading.coverage = 0;
  reading.fault = fault;
  const bool invalid = fault == Fault::SeveralElements || fault == Fault::WrongType ||
                       fault == Fault::NotANumber || fault == Fault::Infinite ||
                       fault == Fault::Negative || fault == Fault::BadSample;
  reading.health = invalid ? Health::Invalid : Health::Missing;
  return reading;
}

Fault fault_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::NoData:
      return Fault::EmptyAnswer;
    case ErrorCode::Timeout:
      return Fault::Timeout;
    case ErrorCode::Unauthorized:
      return Fault::Unauthorized;
    case ErrorCode::Forbidden:
      return Fault::Forbidden;
    case ErrorCode::Protocol:
      return Fault::WrongType;
    case ErrorCode::Invalid:
    case ErrorCode::NotFound:
    case ErrorCode::Conflict:
    case ErrorCode::Gone:
      return Fault::QueryError;
    case ErrorCode::RateLimited:
    case ErrorCode::Unavailable:
    case ErrorCode::Cancelled:
      return Fault::BackendUnreachable;
  }
  return Fault::BackendUnreachable;
}

}  // namespace scaledcache::core
