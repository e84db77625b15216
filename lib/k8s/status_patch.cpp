#include "k8s/status_patch.h"

#include <algorithm>
#include <cmath>

namespace scaledcache::k8s {
namespace {

const SignalStatus* find_signal(const Status& status, const std::string& name) {
  const auto found = std::find_if(status.signals.begin(), status.signals.end(),
                                  [&](const SignalStatus& signal) { return signal.name == name; });
  return found == status.signals.end() ? nullptr : &*found;
}

bool counts_differ(const Status& a, const Status& b) {
  return a.observed_generation != b.observed_generation || a.replicas != b.replicas ||
         a.desired_replicas != b.desired_replicas || a.ready_replicas != b.ready_replicas ||
         a.warm_replicas != b.warm_replicas || a.warming != b.warming || a.selector != b.selector ||
         a.original_replicas != b.original_replicas;
}

bool decision_differs(const Status& a, const Status& b) {
  if (a.last_decision.has_value() != b.last_decision.has_value()) {
    return true;
  }
  return a.last_decision && (a.last_decision->to != b.last_decision->to ||
                             a.last_decision->reason != b.last_decision->reason);
}

// Whether another change of the count is followed, or none any longer.
bool dip_differs(const Status& a, const Status& b) {
  return a.dip.has_value() != b.dip.has_value() ||
         (a.dip && (a.dip->since != b.dip->since || a.dip->to != b.dip->to));
}

bool timers_differ(const Status& a, const Status& b) {
  return a.last_scale_up_time != b.last_scale_up_time ||
         a.last_scale_down_time != b.last_scale_down_time || a.last_change != b.last_change ||
         a.paused_replicas != b.paused_replicas || a.foreign_write_times != b.foreign_write_times ||
         a.outage_hold_until != b.outage_hold_until || a.draining != b.draining ||
         a.drain_goal != b.drain_goal || a.drains != b.drains || dip_differs(a, b);
}

bool conditions_differ(const Status& a, const Status& b) {
  return a.conditions.size() != b.conditions.size() ||
         std::any_of(b.conditions.begin(), b.conditions.end(), [&](const Condition& next) {
           const Condition* before = find_condition(a.conditions, next.type);
           return before == nullptr || before->status != next.status ||
                  before->reason != next.reason;
         });
}

// What a restart could not work out again from the backend.
bool memory_differs(const SignalStatus& a, const SignalStatus& b) {
  constexpr double kStep = 0.1;
  const double before = std::sqrt(std::max(a.risk, 0.0));
  const double after = std::sqrt(std::max(b.risk, 0.0));
  constexpr double kLeast = 0.002;  // a tenth of what headroom forgives
  const bool risk_moved = std::abs(after - before) > std::max(kStep * before, kLeast);
  return risk_moved || a.suspect_since != b.suspect_since;
}

bool signals_differ(const Status& stored, const Status& next) {
  return stored.signals.size() != next.signals.size() ||
         std::any_of(next.signals.begin(), next.signals.end(), [&](const SignalStatus& signal) {
           const SignalStatus* before = find_signal(stored, signal.name);
           return before == nullptr || memory_differs(*before, signal);
         });
}

bool rate_moved(const Spec& spec, const Status& stored, const Status& next) {
  constexpr double kShare = 0.2;
  return std::any_of(spec.signals.begin(), spec.signals.end(), [&](const SignalSpec& signal) {
    const SignalStatus* before = find_signal(stored, signal.name);
    const SignalStatus* after = find_signal(next, signal.name);
    if (before == nullptr || after == nullptr || !after->short_rate) {
      return false;
    }
    const double old_rate = before->short_rate.value_or(0);
    const double moved = std::abs(*after->short_rate - old_rate);
    return moved >= kShare * old_rate && moved >= signal.planned_per_replica();
  });
}

// One operation for each member that differs; the names of our members need no escaping.
void add_member_operations(const Json& before, const Json& after, Json& operations) {
  for (const auto& [name, value] : after.items()) {
    const auto old = before.find(name);
    if (old == before.end() || *old != value) {
      operations.push_back({{"op", "add"}, {"path", "/status/" + name}, {"value", value}});
    }
  }
  for (const auto& [name, value] : before.items()) {
    if (!after.contains(name)) {
      operations.push_back({{"op", "remove"}, {"path", "/status/" + name}});
    }
  }
}

}  // namespace

bool status_write_due(const Spec& spec,
                      const Status& stored,
                      const Status& next,
                      Milliseconds since_write) {
  if (counts_differ(stored, next) || decision_differs(stored, next) ||
      timers_differ(stored, next) || conditions_differ(stored, next) ||
      signals_differ(stored, next) || since_write >= kStatusHeartbeat) {
    return true;
  }
  return since_write >= kRateWriteInterval && rate_moved(spec, stored, next);
}

std::optional<Patch> encode_status_patch(const std::string& uid,
                                         const Status& stored,
                                         const Status& next) {
  const Json before = to_json(stored);
  const Json after = to_json(next);
  if (before == after) {
    return std::nullopt;
  }
  Json operations = {{{"op", "test"}, {"path", "/metadata/uid"}, {"value", uid}}};
  if (before.empty()) {
    operations.push_back({{"op", "add"}, {"path", "/status"}, {"value", after}});
  } else {
    add_member_operations(before, after, operations);
  }
  return Patch{kJsonPatch, dump_json(operations)};
}

}  // namespace scaledcache::k8s
