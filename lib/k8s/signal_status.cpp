#include "k8s/signal_status.h"

#include <utility>

#include "k8s/object_meta.h"
#include "k8s/status_fields.h"

namespace scaledcache::k8s {
namespace {

SignalStatus signal_from_json(const Json& object) {
  SignalStatus signal;
  signal.name = string_member(object, "name");
  signal.short_rate = number_member(object, "short");
  signal.peak = number_member(object, "peak");
  signal.per_replica = number_member(object, "perReplica");
  signal.wish = optional_count(object, "wish");
  signal.health = string_member(object, "health");
  signal.sample_age = duration_member(object, "sampleAge");
  signal.coverage = number_member(object, "coverage");
  signal.foreign_series = optional_count(object, "foreignSeries");
  signal.noise = number_member(object, "noise").value_or(0);
  signal.risk = number_member(object, "risk").value_or(0);
  signal.headroom = number_member(object, "headroom").value_or(0);
  signal.suspect_since = time_member(object, "suspectSince");
  signal.last_usable_time = time_member(object, "lastUsableTime");
  return signal;
}

}  // namespace

Json to_json(const SignalStatus& signal) {
  FieldWriter writer;
  writer.put("name", signal.name);
  writer.put_shortened("short", signal.short_rate);
  writer.put_rounded("peak", signal.peak);
  writer.put_shortened("perReplica", signal.per_replica);
  writer.put("wish", signal.wish);
  writer.put("health", signal.health);
  writer.put("sampleAge", signal.sample_age);
  writer.put_shortened("coverage", signal.coverage);
  writer.put("foreignSeries", signal.foreign_series);
  writer.put_rounded("noise", signal.noise);
  writer.put_rounded("risk", signal.risk);
  writer.put_rounded("headroom", signal.headroom);
  writer.put("suspectSince", signal.suspect_since);
  writer.put("lastUsableTime", signal.last_usable_time);
  return writer.take();
}

std::vector<SignalStatus> signals_from_json(const Json* list) {
  constexpr std::size_t kMost = 64;
  std::vector<SignalStatus> signals;
  if (list == nullptr || !list->is_array()) {
    return signals;
  }
  for (const Json& entry : *list) {
    SignalStatus signal = signal_from_json(entry);
    if (!signal.name.empty() && signals.size() < kMost) {
      signals.push_back(std::move(signal));
    }
  }
  return signals;
}

}  // namespace scaledcache::k8s
