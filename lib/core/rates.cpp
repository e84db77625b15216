#include "core/rates.h"

#include <algorithm>
#include <cmath>

#include "core/counting.h"

namespace scaledcache::core {
namespace {

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
  const double two_scrapes = e - kStandstillScrapes * static_cast<double>(answer.scrape.count());
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
  reading.standing_still =
      reading.has_served && up_to(e) - up_to(two_scrapes) <= 0 && counted.own_until <= two_scrapes;
  reading.gapless =
      counted.longest_gap <= kCurrentScrapes * static_cast<double>(answer.scrape.count());
}

// The short window's rate at every step of the past that the answer covers.
void fill_history(SignalReading& reading,
                  const Answer& answer,
                  const Counted& counted,
                  const Weights& weights) {
  const auto step = static_cast<double>(answer.question.history_step->count());
  const auto shorter = static_cast<double>(answer.question.short_window.count());
  const double since = std::max(counted.covered_since, 0.0) + shorter;
  const double steps = std::floor((answer.end - since) / step);
  const auto count = steps >= 1 ? static_cast<std::size_t>(std::min(steps, 1e5)) : 0;
  std::vector<double> ends;
  ends.reserve(count);
  for (std::size_t back = count; back > 0; --back) {
    ends.push_back(answer.end - static_cast<double>(back) * step);
  }
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
      HealthRow{reading.coverage < kUsableCoverage, Health::Stale, Fault::LowCoverage},
      HealthRow{reading.coverage < kFreshCoverage, Health::Partial, Fault::MissingPods},
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

}  // namespace

Milliseconds clock_shift_of(const Question& question) {
  constexpr Milliseconds kNoise{2'000};
  const Milliseconds shift = question.backend_now.value_or(question.now) - question.now;
  return shift > -kNoise && shift < kNoise ? Milliseconds{0} : shift;
}

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

  const Weights weights = weights_of(answer);
  const Counted counted = count(answer, weights);
  judge_health(reading, question);
  if (is_usable(reading.health) && !counted.any_gap) {
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
