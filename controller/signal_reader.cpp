#include "controller/signal_reader.h"

#include <algorithm>
#include <optional>

#include "core/cache_starts.h"
#include "core/pulse.h"
#include "core/rates.h"
#include "prom/presets.h"

namespace scaledcache::controller {
namespace {

prom::Matchers to_matchers(const std::vector<k8s::LabelMatcher>& matchers) {
  prom::Matchers result;
  for (const k8s::LabelMatcher& matcher : matchers) {
    result.push_back({matcher.label, matcher.op, matcher.value});
  }
  return result;
}

// The pods of the target and of its baseline.
std::string pod_pattern(const SignalQuestion& question) {
  const k8s::ScaleTargetRef& target = question.cache.spec.target;
  std::string pattern = prom::pod_name_pattern(target.kind, target.name);
  std::vector<std::string_view> baseline;
  for (const core::PodFacts& pod : question.pods) {
    if (pod.baseline) {
      baseline.push_back(pod.name);
    }
  }
  return pattern.empty() || baseline.empty() ? pattern
                                             : pattern + "|" + prom::pod_names_pattern(baseline);
}

// Where the series of this target are: nothing that a resource says can widen it.
prom::Matchers scope_of(const SignalQuestion& question, const prom::Matchers& backend_matchers) {
  prom::Scope scope;
  scope.operator_matchers = backend_matchers;
  scope.namespace_label = question.spec.namespace_label;
  scope.namespace_name = question.cache.meta.name_space;
  scope.pod_label = question.spec.pod_label;
  scope.pod_pattern = pod_pattern(question);
  return prom::scope_matchers(scope);
}

// Which counter to ask for; the preset, where there is one, was checked with the spec.
prom::CounterQuery counter_of(const SignalQuestion& question, const prom::Matchers& scope) {
  const prom::Preset* preset =
      question.spec.preset ? prom::find_preset(*question.spec.preset) : nullptr;
  const auto& counter = question.spec.counter;
  prom::CounterQuery query;
  query.metric = counter && !counter->metric.empty() ? counter->metric
                 : preset != nullptr                 ? preset->metric
                                                     : "";
  query.matchers =
      prom::merge_matchers(preset != nullptr ? preset->matchers : prom::Matchers{},
                           counter ? to_matchers(counter->matchers) : prom::Matchers{}, scope);
  return query;
}

// Whether what the gate asks of the pods is in the series, and all of it: not where the user chose
// another counter or a part of one.
bool counts_own_requests(const k8s::SignalSpec& spec) {
  const prom::Preset* preset = spec.preset ? prom::find_preset(*spec.preset) : nullptr;
  return preset != nullptr && preset->counts_http && !spec.counter;
}

SignalAnswer failed(const Error& error) {
  return {core::unusable(core::fault_of(error.code)), error.message};
}

void add_history(core::SignalReading& reading, const std::vector<core::Sample>& older) {
  std::vector<core::RatePoint> points;
  points.reserve(older.size());
  for (const core::Sample& sample : older) {
    points.push_back({WallTime{Milliseconds{sample.time_ms}}, sample.value});
  }
  reading.history.insert(reading.history.begin(), points.begin(), points.end());
}

std::optional<WallTime> newest_sample(const std::vector<core::Series>& series) {
  std::optional<WallTime> newest;
  for (const core::Series& one : series) {
    if (!one.samples.empty()) {
      newest = std::max(newest.value_or(WallTime::min()),
                        WallTime{Milliseconds{one.samples.back().time_ms}});
    }
  }
  return newest;
}

// Seconds as a query gives them, cut to what can be an age.
Milliseconds to_age(double seconds) {
  constexpr double kMost = 1e9;
  return Milliseconds{static_cast<std::int64_t>(std::min(seconds, kMost) * 1000)};
}

}  // namespace

// The steps that reading one signal takes, sharing what they all need.
class SignalReader::Reading {
 public:
  Reading(const Parts& parts,
          BackendClocks& clocks,
          const QueryOptions& options,
          const SignalQuestion& signal,
          const std::stop_token& stop)
      : parts_(parts),
        clocks_(clocks),
        signal_(signal),
        stop_(stop),
        default_url_(options.backend_url),
        scope_(scope_of(signal, options.backend_matchers)),
        question_(
            core::question_for(signal.policy, signal.signal, signal.history, parts.clock.wall())) {
    question_.scrape_labels.insert(question_.scrape_labels.end(), options.replica_labels.begin(),
                                   options.replica_labels.end());
  }

  // Finds the backend, with what every query to it carries.
  Result<void> find_backend() {
    auto found = controller::find_backend(parts_.sources, signal_.cache, default_url_, stop_);
    if (!found) {
      return found.error();
    }
    backend_ = *std::move(found);
    backend_.poll_interval = signal_.policy.poll_interval;
    return {};
  }

  SignalAnswer read() {
    SignalAnswer answer =
        signal_.signal.kind == core::SignalKind::Query ? read_value() : read_counter();
    if (core::is_usable(answer.reading.health)) {
      answer.reading.saturation = read_saturation();
    }
    return answer;
  }

  core::FleetReading read_fleet(bool with_egress) {
    const Milliseconds window = signal_.policy.short_window;
    const prom::Preset* preset =
        signal_.spec.preset ? prom::find_preset(*signal_.spec.preset) : nullptr;
    core::FleetReading reading;
    if (preset != nullptr) {
      reading.hit_ratio = number_of(prom::hit_ratio_query(*preset, scope_, window));
      reading.origin_rate = number_of(prom::origin_query(*preset, scope_, window));
    }
    if (with_egress) {
      reading.egress = number_of(prom::egress_query(scope_, window).transform([](std::string text) {
        return std::optional(std::move(text));
      }));
    }
    return reading;
  }

 private:
  std::optional<double> number_of(const Result<std::optional<std::string>>& text) {
    return text && *text ? ask(**text) : std::nullopt;
  }

  // The number that a query gives; nothing where it gives none, or the backend fails.
  std::optional<double> ask(const std::string& text) {
    const auto answer = parts_.backend.query_value(backend_, text, stop_);
    return answer && answer->fault == core::Fault::None ? std::optional(answer->value)
                                                        : std::nullopt;
  }

  SignalAnswer read_counter() {
    prom::CounterQuery query = counter_of(signal_, scope_);
    query.window = question_.window;
    const SteadyTime asked = parts_.clock.steady();
    const auto answer = parts_.backend.query_counter(backend_, query, stop_);
    observe(asked);
    if (!answer) {
      return failed(answer.error());
    }
    question_.now = parts_.clock.wall();
    question_.backend_now =
        backend_now({question_.now, answer->server_time, newest_sample(answer->series)});
    question_.partial_answer = answer->partial;
    question_.counts_own = counts_own_requests(signal_.spec);
    SignalAnswer result{core::read_counter(question_, answer->series, signal_.pods), {}};
    if (result.reading.standing_still) {
      result.reading.pulse = read_pulse();
    }
    if (signal_.cache.spec.gates()) {
      result.cache_starts = core::cache_starts(question_, answer->series, signal_.pods);
    }
    if (signal_.cache.spec.drains()) {
      result.traffic = core::pod_traffic(question_, answer->series, signal_.pods);
    }
    if (question_.history_step && query.window < signal_.policy.long_window) {
      fill(result.reading,
           prom::rate_query(query.metric, query.matchers, signal_.policy.short_window),
           query.window);
    }
    return result;
  }

  core::Pulse read_pulse() {
    const prom::Preset* preset =
        signal_.spec.preset ? prom::find_preset(*signal_.spec.preset) : nullptr;
    if (preset == nullptr || preset->uptime.empty()) {
      return core::Pulse::Unknown;
    }
    const auto answer =
        parts_.backend.query_counter(backend_, {preset->uptime, scope_, question_.window}, stop_);
    return answer ? core::read_pulse(answer->series) : core::Pulse::Unknown;
  }

  SignalAnswer read_value() {
    const std::string text =
        prom::substitute_window(*signal_.spec.query, signal_.policy.short_window);
    const SteadyTime asked = parts_.clock.steady();
    const auto answer = parts_.backend.query_value(backend_, text, stop_);
    observe(asked);
    if (!answer) {
      return failed(answer.error());
    }
    if (answer->fault != core::Fault::None) {
      return {core::unusable(answer->fault), {}};
    }
    question_.now = parts_.clock.wall();
    question_.backend_now = answer->server_time;
    question_.partial_answer = answer->partial;
    const auto age = read_age();
    if (!age) {
      SignalAnswer unknown = failed(age.error());
      unknown.error = "ageQuery: " + unknown.error;
      return unknown;
    }
    SignalAnswer result{core::read_value(question_, answer->value, *age), {}};
    if (question_.history_step) {
      fill(result.reading, text, Milliseconds{0});
    }
    return result;
  }

  // How old a query's data are; nothing where no query tells. One that should tell and does not
  // leaves the data without a proof of being new.
  Result<std::optional<Milliseconds>> read_age() {
    if (signal_.spec.age_query.empty()) {
      return std::optional<Milliseconds>();
    }
    const auto answer = parts_.backend.query_value(
        backend_, prom::substitute_window(signal_.spec.age_query, signal_.policy.short_window),
        stop_);
    if (!answer) {
      return answer.error();
    }
    if (answer->fault != core::Fault::None) {
      return Error{ErrorCode::NoData, "must give one number of seconds, 0 or more"};
    }
    return std::optional(to_age(answer->value));
  }

  std::optional<WallTime> backend_now(const ClockSigns& signs) {
    return clocks_.now_at(
        backend_.url, signs, parts_.clock.steady(), [this]() -> std::optional<Milliseconds> {
          const auto answer = parts_.backend.query_value(backend_, "time()", stop_);
          if (!answer || answer->fault != core::Fault::None) {
            return std::nullopt;
          }
          const WallTime theirs{
              Milliseconds{static_cast<std::int64_t>(std::min(answer->value, 1e11) * 1000)}};
          return theirs - parts_.clock.wall();
        });
  }

  // The part of the long window that lies before the newest `covered`; without it the peak of the
  // status has to do.
  void fill(core::SignalReading& reading, const Result<std::string>& text, Milliseconds covered) {
    if (!text) {
      return;
    }
    const Milliseconds step =
        std::max(signal_.policy.short_window, signal_.policy.long_window / 240);
    const prom::RangeQuery range{*text, question_.now - signal_.policy.long_window,
                                 question_.now - covered, step};
    if (range.start + step > range.end) {
      return;
    }
    if (const auto older = parts_.backend.query_range_values(backend_, range, stop_)) {
      add_history(reading, older->samples);
    }
  }

  // What the fleet refuses; nothing where nobody knows.
  std::optional<double> read_saturation() {
    const auto text = saturation_text();
    return text ? ask(*text) : std::nullopt;
  }

  [[nodiscard]] std::optional<std::string> saturation_text() const {
    if (!signal_.spec.saturation_query.empty()) {
      return prom::substitute_window(signal_.spec.saturation_query, signal_.policy.short_window);
    }
    const prom::Preset* preset =
        signal_.spec.preset ? prom::find_preset(*signal_.spec.preset) : nullptr;
    if (preset == nullptr) {
      return std::nullopt;
    }
    return prom::saturation_query(*preset, scope_, signal_.policy.short_window)
        .value_or(std::nullopt);
  }

  void observe(SteadyTime asked) {
    parts_.metrics.observe_query(
        std::chrono::duration_cast<Milliseconds>(parts_.clock.steady() - asked));
  }

  const Parts& parts_;
  BackendClocks& clocks_;
  const SignalQuestion& signal_;
  const std::stop_token& stop_;
  const std::string& default_url_;
  prom::Backend backend_{};
  const prom::Matchers scope_;
  core::Question question_;
};

core::FleetReading SignalReader::read_fleet(const SignalQuestion& question,
                                            bool with_egress,
                                            const std::stop_token& stop) {
  Reading reading(parts_, clocks_, options_, question, stop);
  return reading.find_backend() ? reading.read_fleet(with_egress) : core::FleetReading{};
}

SignalAnswer SignalReader::read(const SignalQuestion& question, const std::stop_token& stop) {
  Reading reading(parts_, clocks_, options_, question, stop);
  const auto found = reading.find_backend();
  if (found) {
    return reading.read();
  }
  SignalAnswer answer = failed(found.error());
  answer.ready_reason = ready_reason_of(found.error().code);
  return answer;
}

core::SaturationKind saturation_kind(const k8s::SignalSpec& spec) {
  if (!spec.saturation_query.empty() || !spec.preset) {
    return core::saturation_kind_of(spec.saturation_query);
  }
  const prom::Preset* preset = prom::find_preset(*spec.preset);
  if (preset == nullptr || preset->saturation.empty()) {
    return core::SaturationKind::None;
  }
  const bool is_rate = std::any_of(
      preset->saturation.begin(), preset->saturation.end(),
      [](const auto& term) { return term.kind == prom::SaturationTerm::Kind::Counter; });
  return is_rate ? core::SaturationKind::Rate : core::SaturationKind::Gauge;
}

}  // namespace scaledcache::controller
