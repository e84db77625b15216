#include "k8s/tick_status.h"

#include <algorithm>
#include <utility>

#include "core/conditions.h"
#include "k8s/api_error.h"
#include "k8s/kept_status.h"

namespace scaledcache::k8s {
namespace {

constexpr std::size_t kMaxLabelsNamed = 12;
constexpr std::size_t kMaxLabelText = 200;

std::string labels_text(const core::SignalReading& reading) {
  std::string text;
  for (std::size_t i = 0; i < std::min(reading.labels_seen.size(), kMaxLabelsNamed); ++i) {
    text += (i == 0 ? "" : ", ") + reading.labels_seen[i];
  }
  text = printable(text, kMaxLabelText);
  if (!reading.likely_pod_label.empty()) {
    text += "; the pods' names are in " + printable(reading.likely_pod_label, kMaxLabelText) +
            ": set podLabel to it";
  }
  return text;
}

// Fixed phrases: nothing that a backend said goes into the status, but for names of labels.
std::string fault_text(const core::SignalReading& reading) {
  switch (reading.fault) {
    case core::Fault::None:
      return "no fault";
    case core::Fault::EmptyAnswer:
      return "the answer holds no series";
    case core::Fault::QueryError:
      return "the backend refused the query";
    case core::Fault::BackendUnreachable:
      return "the backend cannot be reached or gave no usable answer";
    case core::Fault::Timeout:
      return "the backend did not answer in time";
    case core::Fault::Unauthorized:
      return "the backend wants other credentials";
    case core::Fault::Forbidden:
      return "the backend's address is not allowed, or it refuses us";
    case core::Fault::TooFewSamples:
      return "the answer holds too few samples to compute a rate yet";
    case core::Fault::TooOld:
      return "the newest sample is older than maxSampleAge";
    case core::Fault::LowCoverage:
      return "fewer than half of the ready pods have a current sample";
    case core::Fault::MissingPods:
      return std::to_string(reading.judged_pods - reading.covered_pods) + " of " +
             std::to_string(reading.judged_pods) + " ready pods have no current sample";
    case core::Fault::PartialAnswer:
      return "the backend says that its answer is partial";
    case core::Fault::NotANumber:
      return "the query gave no number";
    case core::Fault::Infinite:
      return "the query gave an infinite value";
    case core::Fault::Negative:
      return "the query gave a negative value";
    case core::Fault::SeveralElements:
      return "the query gave several elements, must give one";
    case core::Fault::WrongType:
      return "the answer is of another type than the query must give";
    case core::Fault::BadSample:
      return "every series holds a negative or infinite sample";
    case core::Fault::NoPodLabel:
      return "no series carries a pod of the target; labels seen: " + labels_text(reading);
    case core::Fault::ScopeMismatch:
      return "every series belongs to a pod of something else";
  }
  return "unknown fault";
}

std::string suspect_text(const core::SignalReading& reading) {
  if (reading.pulse == core::Pulse::Still) {
    return "the counters stand still, and so does the caches' uptime: the exporter shows old "
           "values";
  }
  return "the rate fell by more than 95 % in one step while pods are ready";
}

std::string metrics_message(const Tick& tick) {
  std::string text;
  const auto& readings = tick.observation.signals;
  const auto& verdicts = tick.decision.signals;
  for (std::size_t i = 0; i < std::min(readings.size(), verdicts.size()); ++i) {
    if (verdicts[i].health == core::Health::Fresh) {
      continue;
    }
    const bool suspect = verdicts[i].health == core::Health::Suspect;
    text += (text.empty() ? "signal " : "; signal ") + verdicts[i].name + ": " +
            (suspect ? suspect_text(readings[i]) : fault_text(readings[i]));
  }
  return text.empty() ? "every signal is fresh" : text;
}

std::string message_for(const core::Condition& condition, const Tick& tick) {
  if (condition.type == "MetricsReady") {
    return metrics_message(tick);
  }
  const bool speaks = condition.status == core::Status::True && condition.type != "Active";
  return speaks ? tick.sentence : "";
}

ConditionStatus to_k8s(core::Status status) {
  switch (status) {
    case core::Status::True:
      return ConditionStatus::True;
    case core::Status::False:
      return ConditionStatus::False;
    case core::Status::Unknown:
      break;
  }
  return ConditionStatus::Unknown;
}

bool is_backend_forbidden(const core::Observation& observation) {
  return std::any_of(
      observation.signals.begin(), observation.signals.end(),
      [](const core::SignalReading& r) { return r.fault == core::Fault::Forbidden; });
}

// Ready follows from the metrics: a decision exists, so the target was found and can be scaled.
ConditionValue ready_condition(const Conditions& conditions, const Tick& tick) {
  const Condition* metrics = find_condition(conditions, "MetricsReady");
  const auto status = metrics == nullptr ? ConditionStatus::Unknown : metrics->status;
  if (status == ConditionStatus::True) {
    return {"Ready", ConditionStatus::True, "AsExpected", tick.sentence};
  }
  if (status == ConditionStatus::Unknown) {
    return {"Ready", ConditionStatus::Unknown, "Pending", "no metrics yet"};
  }
  const bool forbidden = is_backend_forbidden(tick.observation);
  return {"Ready", ConditionStatus::False, forbidden ? "BackendForbidden" : "MetricsUnavailable",
          metrics->message};
}

void put_conditions(const Tick& tick, Conditions& conditions) {
  add_pending_conditions(conditions, tick.generation, tick.now);
  for (const core::Condition& judged :
       core::judge_conditions(tick.policy, tick.observation, tick.decision, tick.now)) {
    set_condition(conditions,
                  {std::string(judged.type), to_k8s(judged.status), std::string(judged.reason),
                   message_for(judged, tick)},
                  tick.generation, tick.now);
  }
  set_condition(conditions, ready_condition(conditions, tick), tick.generation, tick.now);
}

void put_measured(const core::SignalReading& reading,
                  const core::SignalVerdict& verdict,
                  int ready,
                  SignalStatus& signal) {
  signal.health = core::name_of(verdict.health);
  signal.wish = verdict.wish;
  signal.headroom = verdict.headroom;
  signal.foreign_series = reading.foreign_series;
  signal.sample_age = reading.sample_age;
  if (!core::is_usable(verdict.health)) {
    return;  // what was measured last stays, dated by measuredTime
  }
  signal.short_rate = verdict.short_rate;
  signal.coverage = reading.coverage;
  signal.per_replica = ready > 0 ? std::optional(verdict.short_rate / ready) : std::nullopt;
}

SignalStatus signal_after(const Status& stored, const core::KeptSignal& kept) {
  const auto found =
      std::find_if(stored.signals.begin(), stored.signals.end(),
                   [&](const SignalStatus& signal) { return signal.name == kept.name; });
  SignalStatus signal = found == stored.signals.end() ? SignalStatus{} : *found;
  signal.name = kept.name;
  signal.peak = kept.peak;
  signal.noise = kept.noise;
  signal.risk = kept.risk;
  signal.suspect_since = kept.suspect_since;
  signal.last_usable_time = kept.last_usable;
  return signal;
}

void put_signals(const Status& stored,
                 const core::KeptStatus& kept,
                 const Tick& tick,
                 Status& status) {
  status.signals.clear();
  for (const core::KeptSignal& kept_signal : kept.signals) {
    SignalStatus signal = signal_after(stored, kept_signal);
    const auto& verdicts = tick.decision.signals;
    for (std::size_t i = 0; i < std::min(verdicts.size(), tick.observation.signals.size()); ++i) {
      if (verdicts[i].name == signal.name) {
        put_measured(tick.observation.signals[i], verdicts[i], tick.observation.pods.ready, signal);
      }
    }
    status.signals.push_back(std::move(signal));
  }
}

std::optional<WallTime> newest_measurement(const core::Observation& observation) {
  std::optional<WallTime> newest;
  for (const core::SignalReading& reading : observation.signals) {
    if (reading.measured && (!newest || *reading.measured > *newest)) {
      newest = reading.measured;
    }
  }
  return newest;
}

}  // namespace

Status status_after(const Status& stored, const Tick& tick) {
  Status status = stored;
  const core::KeptStatus kept = core::keep(tick.decision.history);
  put_kept(kept, status);
  put_signals(stored, kept, tick, status);
  status.observed_generation = tick.generation;
  status.replicas = tick.replicas;
  status.desired_replicas = tick.decision.replicas;
  status.ready_replicas = tick.observation.pods.ready;
  status.warm_replicas = tick.observation.pods.warm;
  status.warming = tick.observation.pods.warming;
  if (const auto measured = newest_measurement(tick.observation)) {
    status.measured_time = measured;
  }
  status.last_decision =
      LastDecision{tick.now, tick.decision.from, tick.decision.replicas,
                   std::string(core::name_of(tick.decision.reason)), tick.sentence};
  put_conditions(tick, status.conditions);
  return status;
}

}  // namespace scaledcache::k8s
