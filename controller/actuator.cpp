#include "controller/actuator.h"

#include "controller/status_report.h"
#include "controller/transitions.h"
#include "k8s/event.h"
#include "k8s/object_meta.h"
#include "k8s/paths.h"
#include "k8s/scale.h"
#include "k8s/status_patch.h"

namespace scaledcache::controller {

Result<void> Actuator::apply(const Look& look, Memory& memory, const std::stop_token& stop) {
  const auto scaled = write_scale(look, memory, stop);
  if (!scaled) {
    return scaled.error();
  }
  memory.history = look.decision.history;
  const auto written =
      write_status(look.cache, memory, report_look(*memory.status, look), *scaled, stop);
  // The next look finds the same difference and writes it; scaling does not wait for that.
  const std::string failure = written ? "" : written.error().message;
  if (!written && memory.unwritten != failure) {
    note_unwritten(look.cache, "status", written.error());
  }
  memory.unwritten = failure;
  return {};
}

void Actuator::note_unwritten(const k8s::ScaledCache& cache,
                              const std::string& what,
                              const Error& error) const {
  if (error.code == ErrorCode::Cancelled) {
    return;
  }
  parts_.metrics.count_error(error.code);
  Fields fields;
  fields["key"] = cache.meta.name_space + "/" + cache.meta.name;
  fields["code"] = scaledcache::name_of(error.code);
  fields["error"] = error.message;
  parts_.log.warn(what + " not written", fields);
}

Result<bool> Actuator::write_scale(const Look& look, Memory& memory, const std::stop_token& stop) {
  const Target& target = look.gathered.target;
  if (look.gathered.policy.dry_run || look.decision.replicas == target.replicas) {
    return false;
  }
  const k8s::ScaleChange change{target.reference.uid, target.resource_version, target.replicas,
                                look.decision.replicas};
  const auto answer = parts_.client.patch(
      {k8s::scale_path(target.type, look.cache.meta.name_space, target.reference.name),
       k8s::encode_scale_patch(change), k8s::kFieldManager, k8s::Unprocessable::Conflict},
      stop);
  if (!answer) {
    return answer.error();
  }
  parts_.metrics.count_write("scale");
  const auto written = k8s::decode_scale(*answer);
  memory.own_scale_write =
      OwnScaleWrite{target.reference.uid, written ? written->resource_version : "",
                    look.decision.replicas, look.now};
  return true;
}

Result<void> Actuator::write_status(const k8s::ScaledCache& cache,
                                    Memory& memory,
                                    k8s::Status next,
                                    bool scaled,
                                    const std::stop_token& stop) {
  const SteadyTime now = parts_.clock.steady();
  const k8s::Status& stored = *memory.status;
  const auto since_write =
      std::chrono::duration_cast<Milliseconds>(now - memory.status_written.value_or(now));
  if (!k8s::status_write_due(cache.spec, stored, next, since_write)) {
    return {};
  }
  const auto events = transitions(cache, {stored, next, scaled}, parts_.clock.wall());
  if (const auto patch = k8s::encode_status_patch(cache.meta.uid, stored, next)) {
    const auto answer = parts_.client.patch(
        {k8s::status_path(k8s::scaled_caches(), cache.meta.name_space, cache.meta.name), *patch,
         k8s::kFieldManager, k8s::Unprocessable::Conflict},
        stop);
    if (!answer) {
      return answer.error();
    }
    parts_.metrics.count_write("status");
    if (const auto meta = k8s::decode_meta(*answer)) {
      memory.status_version = meta->resource_version;
    }
  }
  memory.status = std::move(next);
  memory.status_written = now;
  emit(cache, events, stop);
  return {};
}

// Events are a courtesy: one that cannot be written is lost, and nothing waits for it.
void Actuator::emit(const k8s::ScaledCache& cache,
                    const std::vector<k8s::Event>& events,
                    const std::stop_token& stop) {
  for (const k8s::Event& event : events) {
    const auto posted = parts_.client.post(
        {k8s::collection_path(k8s::events(), cache.meta.name_space),
         dump_json(k8s::encode_event(event, parts_.instance)), k8s::kFieldManager},
        stop);
    if (posted) {
      parts_.metrics.count_write("event");
      continue;
    }
    note_unwritten(cache, "event " + event.reason, posted.error());
  }
}

}  // namespace scaledcache::controller
