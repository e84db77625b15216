#include "core/conditions.h"

#include <algorithm>

namespace scaledcache::core {
namespace {

// How long a signal may go without a Fresh reading before MetricsReady turns False.
Milliseconds patience_with(const Policy& policy, const SignalHistory& signal) {
  return std::max({Milliseconds{30'000}, 2 * policy.poll_interval,
                   2 * signal.scrape_interval.value_or(Milliseconds{0})});
}

std::string_view reason_of(const SignalVerdict& signal, const SignalReading& reading) {
  switch (signal.fault) {
    case Fault::NoPodLabel:
      return "NoPodLabel";
    case Fault::ScopeMismatch:
      return "ScopeMismatch";
    case Fault::QueryError:
      return "QueryError";
    case Fault::BackendUnreachable:
    case Fault::Timeout:
      return "BackendUnreachable";
    case Fault::Unauthorized:
    case Fault::Forbidden:
      return "Unauthorized";
    default:
      break;
  }
  switch (signal.health) {
    case Health::Fresh:
      return "Fresh";
    case Health::Partial:
      return "Partial";
    case Health::Stale:
      return "Stale";
    case Health::Missing:
      return "NoData";
    case Health::Invalid:
      return "Invalid";
    case Health::Suspect:
      return reading.standing_still ? "MetricStuck" : "Suspect";
  }
  return "NoData";
}

Condition metrics_ready(const Policy& policy,
                        const Observation& observation,
                        const Decision& decision,
                        WallTime now) {
  Condition condition{"MetricsReady", Status::True, "Fresh"};
  for (std::size_t i = 0; i < decision.signals.size(); ++i) {
    const SignalHistory& history = decision.history.signals[i];
    const auto since = history.last_fresh ? history.last_fresh : decision.history.first_tick;
    const bool late = now - since.value_or(now) >= patience_with(policy, history);
    if (late && i < observation.signals.size()) {
      return {"MetricsReady", Status::False,
              reason_of(decision.signals[i], observation.signals[i])};
    }
    if (!history.last_fresh) {
      condition = {"MetricsReady", Status::Unknown, "Pending"};
    }
  }
  return condition;
}

Condition active(const Policy& policy, const Decision& decision) {
  const bool above = std::any_of(decision.signals.begin(), decision.signals.end(),
                                 [](const SignalVerdict& signal) { return signal.wish > 0; });
  if (policy.min_replicas > 0 || decision.replicas > 0 || above) {
    return {"Active", Status::True, "AboveActivation"};
  }
  return {"Active", Status::False, "BelowActivation"};
}

Condition scaling_limited(const Decision& decision) {
  switch (decision.reason) {
    case Reason::AtMaximum:
    case Reason::AtMinimum:
    case Reason::ScaleUpLimited:
    case Reason::ScaleDownLimited:
      return {"ScalingLimited", Status::True, name_of(decision.reason)};
    default:
      return {"ScalingLimited", Status::False, "AsWished"};
  }
}

Condition fallback(const Policy& policy, const Decision& decision) {
  if (decision.reason != Reason::Fallback) {
    return {"Fallback", Status::False, "NotNeeded"};
  }
  constexpr std::array<std::string_view, 5> kNames{"Hold", "Static", "CurrentOrHigher",
                                                   "CurrentOrLower", "Maximum"};
  return {"Fallback", Status::True, kNames.at(static_cast<std::size_t>(policy.fallback.behavior))};
}

Condition paused(const Policy& policy, const Decision& decision) {
  if (decision.reason == Reason::Paused) {
    return {"Paused", Status::True, "Annotation"};
  }
  if (decision.reason == Reason::ScaledToZero) {
    return {"Paused", Status::True, "ScaledToZero"};
  }
  return policy.dry_run ? Condition{"Paused", Status::True, "DryRun"}
                        : Condition{"Paused", Status::False, "NotPaused"};
}

Condition contested(const Observation& observation, const Decision& decision) {
  switch (observation.contender) {
    case Contender::HorizontalPodAutoscaler:
      return {"Contested", Status::True, "HorizontalPodAutoscaler"};
    case Contender::ScaledCache:
      return {"Contested", Status::True, "ScaledCache"};
    case Contender::None:
      break;
  }
  return decision.fighting ? Condition{"Contested", Status::True, "ForeignWriter"}
                           : Condition{"Contested", Status::False, "SoleWriter"};
}

}  // namespace

std::vector<Condition> judge_conditions(const Policy& policy,
                                        const Observation& observation,
                                        const Decision& decision,
                                        WallTime now) {
  return {metrics_ready(policy, observation, decision, now),
          active(policy, decision),
          scaling_limited(decision),
          fallback(policy, decision),
          paused(policy, decision),
          contested(observation, decision)};
}

}  // namespace scaledcache::core
