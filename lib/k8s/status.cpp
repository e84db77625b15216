#include "k8s/status.h"

#include <cmath>
#include <utility>

#include "base/rfc3339.h"
#include "k8s/object_meta.h"
#include "k8s/status_fields.h"
#include "k8s/utf8.h"

namespace scaledcache::k8s {
namespace {

// What the schema takes, in bytes; one text that is too long would have the whole status refused.
constexpr std::size_t kMaxMessage = 1024;
constexpr std::size_t kMaxManager = 128;
constexpr std::size_t kMaxSelector = 4096;

// What a decision and a change have in common; nothing unless it is whole.
struct CountChange {
  WallTime time{};
  int from = 0;
  int to = 0;
};

std::optional<CountChange> count_change(const Json& object) {
  if (!object.is_object()) {
    return std::nullopt;
  }
  const auto time = time_member(object, "time");
  const auto from = optional_count(object, "from");
  const auto to = optional_count(object, "to");
  if (!time || !from || !to) {
    return std::nullopt;
  }
  return CountChange{*time, *from, *to};
}

Json to_json(const LastDecision& decision) {
  return Json{{"time", format_micro_time(decision.time)},
              {"from", decision.from},
              {"to", decision.to},
              {"reason", decision.reason},
              {"message", cut_utf8(decision.message, kMaxMessage)}};
}

std::optional<LastDecision> decision_from_json(const Json* object) {
  if (object == nullptr) {
    return std::nullopt;
  }
  const auto change = count_change(*object);
  if (!change) {
    return std::nullopt;
  }
  return LastDecision{change->time, change->from, change->to, string_member(*object, "reason"),
                      string_member(*object, "message")};
}

Json to_json(const LastChange& change) {
  return Json{{"time", format_micro_time(change.time)},
              {"from", change.from},
              {"to", change.to},
              {"by", cut_utf8(change.by, kMaxManager)}};
}

std::optional<LastChange> change_from_json(const Json* object) {
  if (object == nullptr) {
    return std::nullopt;
  }
  const auto change = count_change(*object);
  if (!change) {
    return std::nullopt;
  }
  return LastChange{change->time, change->from, change->to, string_member(*object, "by")};
}

std::vector<WallTime> times_from_json(const Json* list) {
  constexpr std::size_t kMost = 3;
  std::vector<WallTime> times;
  if (list == nullptr || !list->is_array()) {
    return times;
  }
  for (const Json& entry : *list) {
    const auto time =
        entry.is_string() ? parse_time(entry.get_ref<const std::string&>()) : std::nullopt;
    if (time && times.size() < kMost) {
      times.push_back(*time);
    }
  }
  return times;
}

// What one printer column needs to tell what is going on.
std::string summary_reason(const Status& status) {
  const Condition* ready = find_condition(status.conditions, "Ready");
  if (ready != nullptr && ready->status == ConditionStatus::False) {
    return ready->reason;
  }
  return status.last_decision ? status.last_decision->reason : "";
}

Json lists_to_json(const Status& status) {
  Json object = Json::object();
  if (!status.signals.empty()) {
    Json signals = Json::array();
    for (const SignalStatus& signal : status.signals) {
      signals.push_back(to_json(signal));
    }
    object["signals"] = std::move(signals);
  }
  if (!status.foreign_write_times.empty()) {
    Json times = Json::array();
    for (const WallTime time : status.foreign_write_times) {
      times.push_back(format_micro_time(time));
    }
    object["foreignWriteTimes"] = std::move(times);
  }
  if (!status.drains.empty()) {
    object["drains"] = to_json(status.drains);
  }
  if (status.dip) {
    object["dip"] = k8s::to_json(*status.dip);
  }
  if (!status.pods.empty()) {
    object["pods"] = to_json(status.pods);
  }
  if (!status.conditions.empty()) {
    object["conditions"] = to_json(status.conditions);
  }
  return object;
}

}  // namespace

Status status_from_json(const Json& object) {
  Status status;
  status.observed_generation = integer_member(object, "observedGeneration", 0);
  status.replicas = optional_count(object, "replicas");
  status.desired_replicas = optional_count(object, "desiredReplicas");
  status.ready_replicas = optional_count(object, "readyReplicas");
  status.warm_replicas = optional_count(object, "warmReplicas");
  status.warming = optional_count(object, "warming");
  status.draining = optional_count(object, "draining");
  status.signals = signals_from_json(find_member(object, "signals"));
  status.measured_time = time_member(object, "measuredTime");
  status.last_decision = decision_from_json(find_member(object, "lastDecision"));
  status.last_scale_up_time = time_member(object, "lastScaleUpTime");
  status.last_scale_down_time = time_member(object, "lastScaleDownTime");
  status.last_change = change_from_json(find_member(object, "lastChange"));
  const double idle_seconds = number_member(object, "idleSeconds").value_or(0);
  constexpr double kLongestIdle = 1e9;
  if (idle_seconds > 0 && idle_seconds < kLongestIdle) {
    status.idle = Milliseconds{std::llround(idle_seconds * 1000)};
  }
  status.peak_time = time_member(object, "peakTime");
  status.lead = duration_member(object, "lead");
  status.paused_replicas = optional_count(object, "pausedReplicas");
  status.foreign_write_times = times_from_json(find_member(object, "foreignWriteTimes"));
  status.outage_hold_until = time_member(object, "outageHoldUntil");
  status.original_replicas = optional_count(object, "originalReplicas");
  status.selector = string_member(object, "selector");
  status.drain_goal = optional_count(object, "drainGoal");
  status.drains = drains_from_json(find_member(object, "drains"));
  status.dip = dip_from_json(find_member(object, "dip"));
  status.pods = pods_from_json(find_member(object, "pods"));
  if (const Json* conditions = find_member(object, "conditions")) {
    status.conditions = conditions_from_json(*conditions);
  }
  return status;
}

Json to_json(const Status& status) {
  FieldWriter writer;
  if (status.observed_generation != 0) {
    writer.put("observedGeneration", Json(status.observed_generation));
  }
  writer.put("reason", summary_reason(status));
  writer.put("replicas", status.replicas);
  writer.put("desiredReplicas", status.desired_replicas);
  writer.put("readyReplicas", status.ready_replicas);
  writer.put("warmReplicas", status.warm_replicas);
  writer.put("warming", status.warming);
  writer.put("draining", status.draining);
  writer.put("measuredTime", status.measured_time);
  if (status.last_decision) {
    writer.put("lastDecision", to_json(*status.last_decision));
  }
  writer.put("lastScaleUpTime", status.last_scale_up_time);
  writer.put("lastScaleDownTime", status.last_scale_down_time);
  if (status.last_change) {
    writer.put("lastChange", to_json(*status.last_change));
  }
  if (status.idle.count() > 0) {
    writer.put_number("idleSeconds", static_cast<double>(status.idle.count()) / 1000.0);
  }
  writer.put("peakTime", status.peak_time);
  writer.put("lead", status.lead);
  writer.put("pausedReplicas", status.paused_replicas);
  writer.put("outageHoldUntil", status.outage_hold_until);
  writer.put("originalReplicas", status.original_replicas);
  writer.put("drainGoal", status.drain_goal);
  if (status.selector.size() <= kMaxSelector) {
    writer.put("selector", status.selector);
  }
  Json object = writer.take();
  object.update(lists_to_json(status));
  return object;
}

}  // namespace scaledcache::k8s
