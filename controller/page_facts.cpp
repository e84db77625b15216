#include "controller/page_facts.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "core/observation.h"
#include "core/reason.h"

namespace scaledcache::controller {
namespace {

using k8s::ConditionStatus;

// Conditions that somebody should know of although the operator does its work.
struct Warning {
  std::string_view type;
  ConditionStatus status;
  std::string_view reason;  // "": any
};

constexpr std::array kWarnings{
    Warning{"Fallback", ConditionStatus::True, ""},
    Warning{"Contested", ConditionStatus::True, ""},
    Warning{"CacheTooSmall", ConditionStatus::True, ""},
    Warning{"ScalingEffective", ConditionStatus::False, ""},
    Warning{"ScalingLimited", ConditionStatus::True, "AtMaximum"},
    Warning{"ScalingLimited", ConditionStatus::True, "AdminLimit"},
    Warning{"Warm", ConditionStatus::False, "WarmupTimeout"},
    Warning{"Warm", ConditionStatus::False, "UncacheableList"},
    Warning{"Warm", ConditionStatus::False, "OriginFailing"},
    Warning{"Warm", ConditionStatus::False, "PanicOpen"},
    Warning{"Warm", ConditionStatus::False, "UngatedPods"},
    Warning{"Warm", ConditionStatus::False, "GateWithoutLabel"},
    Warning{"Warm", ConditionStatus::False, "PortNotDeclared"},
};

bool has(const k8s::Conditions& conditions, std::string_view type, ConditionStatus status) {
  const k8s::Condition* condition = k8s::find_condition(conditions, type);
  return condition != nullptr && condition->status == status;
}

bool warns(const k8s::Condition& condition) {
  return std::any_of(kWarnings.begin(), kWarnings.end(), [&](const Warning& warning) {
    return condition.type == warning.type && condition.status == warning.status &&
           (warning.reason.empty() || condition.reason == warning.reason);
  });
}

PageStanding judge(const PageCache& page) {
  const k8s::Conditions& conditions = page.conditions;
  if (has(conditions, "Ready", ConditionStatus::False) ||
      has(conditions, "MetricsReady", ConditionStatus::False)) {
    return PageStanding::Broken;
  }
  if (std::any_of(conditions.begin(), conditions.end(), warns)) {
    return PageStanding::Attention;
  }
  if (has(conditions, "Paused", ConditionStatus::True)) {
    return PageStanding::Paused;
  }
  const int serving = page.gated ? page.warm : page.ready;
  const bool moves = page.replicas != page.desired || serving < page.replicas || page.warming > 0 ||
                     page.draining > 0;
  return moves || !has(conditions, "Ready", ConditionStatus::True) ? PageStanding::Moving
                                                                   : PageStanding::Good;
}

// Unknown is never zero; an old number is shown with its age.
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

bool is_known(core::Health health) {
  return health != core::Health::Missing && health != core::Health::Invalid;
}

std::vector<PageSignal> signals_of(const Look& look) {
  std::vector<PageSignal> signals;
  const Gathered& gathered = look.gathered;
  for (std::size_t i = 0; i < look.decision.signals.size(); ++i) {
    const core::SignalVerdict& verdict = look.decision.signals[i];
    PageSignal signal;
    signal.name = verdict.name;
    signal.health = core::name_of(verdict.health);
    signal.rate = is_known(verdict.health) ? verdict.short_rate : kUnknown;
    signal.peak = verdict.peak;
    signal.q = verdict.q;
    signal.wish = verdict.wish;
    signal.saturated = verdict.saturated;
    if (i < gathered.signal_errors.size()) {
      signal.problem = gathered.signal_errors[i];
    }
    if (signal.problem.empty() && verdict.fault != core::Fault::None) {
      signal.problem = core::name_of(verdict.fault);
    }
    if (i < gathered.observation.signals.size()) {
      signal.sample_age = gathered.observation.signals[i].sample_age;
      signal.coverage = gathered.observation.signals[i].coverage;
    }
    signals.push_back(std::move(signal));
  }
  return signals;
}

// Where pods are not gated nothing is known of their caches, only whether they serve.
std::vector<k8s::PodStatus> pods_of(const Gathered& gathered) {
  std::vector<k8s::PodStatus> pods;
  if (gathered.warmth) {
    pods = gathered.warmth->pods;
  } else {
    for (const k8s::Pod& pod : gathered.target.pods) {
      if (pod.phase != k8s::PodPhase::Succeeded && pod.phase != k8s::PodPhase::Failed) {
        k8s::PodStatus& status = pods.emplace_back();
        status.name = pod.name;
        status.state = pod.deleted || !pod.drain.empty() ? "Draining"
                       : pod.ready                       ? "Ready"
                                                         : "Starting";
      }
    }
  }
  pods.resize(std::min(pods.size(), kMaxPagePods));
  return pods;
}

void name_cache(PageCache& page, const k8s::ScaledCache& cache) {
  page.name_space = cache.meta.name_space;
  page.name = cache.meta.name;
  page.target = cache.spec.target.kind + "/" + cache.spec.target.name;
}

void take_status(PageCache& page, const k8s::Status& status) {
  page.conditions = status.conditions;
  const k8s::Condition* ready = k8s::find_condition(status.conditions, "Ready");
  if (ready != nullptr && ready->status == ConditionStatus::False) {
    page.reason = ready->reason;
    page.sentence = ready->message;
  }
  page.standing = judge(page);
}

}  // namespace

std::string_view name_of(PageStanding standing) {
  switch (standing) {
    case PageStanding::Good:
      return "good";
    case PageStanding::Moving:
      return "moving";
    case PageStanding::Paused:
      return "paused";
    case PageStanding::Attention:
      return "attention";
    case PageStanding::Broken:
      return "broken";
  }
  return "broken";
}

PageCache page_after_look(const Look& look, const k8s::Status& status) {
  const Gathered& gathered = look.gathered;
  const core::Observation& seen = gathered.observation;
  PageCache page;
  name_cache(page, look.cache);
  page.min_replicas = look.decision.min_replicas;
  page.max_replicas = look.decision.max_replicas;
  page.short_window = gathered.policy.short_window;
  page.long_window = gathered.policy.long_window;
  page.replicas = gathered.target.replicas;
  page.desired = look.decision.replicas;
  page.ready = seen.pods.ready;
  page.warm = seen.pods.warm;
  page.warming = seen.pods.warming;
  page.draining = seen.draining;
  page.gated = gathered.warmth.has_value();
  page.reason = core::name_of(look.decision.reason);
  page.sentence = look.sentence;
  page.looked = look.now;
  page.signals = signals_of(look);
  page.pods = pods_of(gathered);
  take_status(page, status);
  return page;
}

PageCache page_after_failure(std::optional<PageCache> before,
                             const k8s::ScaledCache& cache,
                             const k8s::Status& status,
                             const Error& error,
                             WallTime now) {
  PageCache page = before ? *std::move(before) : PageCache{};
  name_cache(page, cache);
  if (!before) {
    page.min_replicas = cache.spec.min_replicas;
    page.max_replicas = cache.spec.max_replicas;
    page.replicas = status.replicas.value_or(0);
    page.desired = status.desired_replicas.value_or(page.replicas);
    page.ready = status.ready_replicas.value_or(0);
  }
  page.reason = std::string(scaledcache::name_of(error.code));
  page.sentence = error.message;
  page.looked = now;
  take_status(page, status);
  page.standing = PageStanding::Broken;
  return page;
}

}  // namespace scaledcache::controller
