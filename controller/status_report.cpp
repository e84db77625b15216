#include "controller/status_report.h"

#include <optional>
#include <utility>

#include "k8s/tick_status.h"

namespace scaledcache::controller {
namespace {

// Adds to a condition what only the gathering side knows; its status and reason stay.
void append(k8s::Conditions& conditions, std::string_view type, const std::string& text) {
  for (k8s::Condition& condition : conditions) {
    if (condition.type == type && !text.empty()) {
      condition.message += " (" + text + ")";
    }
  }
}

std::string errors_of(const Gathered& gathered) {
  std::string text;
  for (std::size_t i = 0; i < gathered.signal_errors.size(); ++i) {
    if (!gathered.signal_errors[i].empty()) {
      text += (text.empty() ? "" : "; ") + gathered.signal_errors[i];
    }
  }
  return text;
}

// The operator's own limit is the admin's business, not the author's of the manifest.
void name_admin_limit(k8s::Status& status, const Look& look) {
  const int limit = look.gathered.policy.max_replicas;
  const k8s::Condition* limited = k8s::find_condition(status.conditions, "ScalingLimited");
  if (limited == nullptr || limited->reason != "AtMaximum" ||
      look.cache.spec.max_replicas <= limit) {
    return;
  }
  k8s::set_condition(status.conditions,
                     {"ScalingLimited", limited->status, "AdminLimit",
                      "the operator's --max-replicas-limit is " + std::to_string(limit)},
                     look.cache.meta.generation, look.now);
}

// A Secret that is missing or may not be used, or a backend that nobody named: known at once, long
// before the data are too old.
void put_refusal(k8s::Status& status, const Look& look) {
  if (!look.gathered.ready_reason.empty()) {
    k8s::set_condition(status.conditions,
                       {"Ready", k8s::ConditionStatus::False, look.gathered.ready_reason,
                        errors_of(look.gathered)},
                       look.cache.meta.generation, look.now);
  }
}

// In a StatefulSet that takes its pods in order, one that is not Ready holds up every other: the
// lowest of them is named.
std::optional<k8s::ConditionValue> held_up(const Target& target) {
  const k8s::Pod* lowest = nullptr;
  for (const k8s::Pod& pod : target.pods) {
    const bool waits = target.ordered_ready && pod.alive() && !pod.ready && pod.drain.empty();
    const bool is_lower = lowest == nullptr || pod.name.size() < lowest->name.size() ||
                          (pod.name.size() == lowest->name.size() && pod.name < lowest->name);
    if (waits && is_lower) {
      lowest = &pod;
    }
  }
  if (lowest == nullptr) {
    return std::nullopt;
  }
  return k8s::ConditionValue{"Warm", k8s::ConditionStatus::False, "OrderedReady",
                             "no pod comes or goes while " + lowest->name +
                                 " is not ready; podManagementPolicy: Parallel would let them"};
}

// How warm the fleet is, where pods are gated. Without a gate nothing is known of caches.
void put_warmth(k8s::Status& status, const Look& look) {
  if (!look.gathered.warmth) {
    status.pods.clear();
    std::erase_if(status.conditions,
                  [](const k8s::Condition& condition) { return condition.type == "Warm"; });
    return;
  }
  status.pods = look.gathered.warmth->pods;
  if (status.pods.size() > k8s::kMaxPodsInStatus) {
    status.pods.resize(k8s::kMaxPodsInStatus);
  }
  k8s::ConditionValue condition = look.gathered.warmth->condition;
  const bool is_grave =
      condition.status != k8s::ConditionStatus::True && condition.reason != "Warming";
  if (auto ordered = is_grave ? std::nullopt : held_up(look.gathered.target)) {
    condition = *std::move(ordered);
  }
  k8s::set_condition(status.conditions, std::move(condition), look.cache.meta.generation, look.now);
}

}  // namespace

k8s::Status report_look(const k8s::Status& before, const Look& look) {
  const Target& target = look.gathered.target;
  const int written = look.gathered.policy.dry_run ? target.replicas : look.decision.replicas;
  k8s::Status status =
      k8s::status_after(before, {look.gathered.policy, look.gathered.observation, look.decision,
                                 look.sentence, written, look.cache.meta.generation, look.now});
  status.selector = target.selector;
  status.original_replicas = before.original_replicas.value_or(target.replicas);
  append(status.conditions, "MetricsReady", errors_of(look.gathered));
  append(status.conditions, "Contested", look.gathered.rival);
  name_admin_limit(status, look);
  put_refusal(status, look);
  put_warmth(status, look);
  return status;
}

std::optional<Failure> failure_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::NotFound:
      return Failure{"TargetNotFound", error.message};
    case ErrorCode::Invalid:
      return Failure{"TargetNotScalable", error.message};
    case ErrorCode::Forbidden:
    case ErrorCode::Unauthorized:
      return Failure{"TargetForbidden", error.message};
    default:
      return std::nullopt;
  }
}

k8s::Status report_failure(const k8s::Status& before,
                           const k8s::ScaledCache& cache,
                           const Failure& failure,
                           WallTime now) {
  k8s::Status status = before;
  k8s::add_pending_conditions(status.conditions, cache.meta.generation, now);
  status.observed_generation = cache.meta.generation;
  k8s::set_condition(status.conditions,
                     {"Ready", k8s::ConditionStatus::False, failure.reason, failure.message},
                     cache.meta.generation, now);
  return status;
}

}  // namespace scaledcache::controller
