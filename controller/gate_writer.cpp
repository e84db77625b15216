#include "controller/gate_writer.h"

#include "k8s/event.h"
#include "k8s/object_meta.h"
#include "k8s/paths.h"

namespace scaledcache::controller {
namespace {

// nullptr: worth no event.
const char* event_reason(const core::WarmthVerdict& verdict) {
  if (verdict.cold_again) {
    return "PodColdAgain";
  }
  switch (verdict.reason) {
    case core::WarmthReason::CacheWarm:
      return "PodWarm";
    case core::WarmthReason::WarmupTimeout:
      return "WarmupTimeout";
    default:
      return nullptr;
  }
}

}  // namespace

Result<std::optional<OwnGateWrite>> GateWriter::write(const GateSight& sight,
                                                      const k8s::GateWrite& wanted,
                                                      const std::stop_token& stop) {
  const auto patch = k8s::encode_gate_patch(sight.pod, wanted, sight.now);
  if (!patch) {
    return std::optional<OwnGateWrite>();
  }
  const auto answer =
      parts_.client.patch({k8s::status_path(k8s::pods(), sight.pod.name_space, sight.pod.name),
                           *patch, k8s::kGateManager},
                          stop);
  if (!answer) {
    note_failure(sight, answer.error());
    return answer.error();
  }
  parts_.metrics.count_gate(wanted.open);
  const bool stays = sight.pod.gate && sight.pod.gate->open == wanted.open;
  const auto meta = k8s::decode_meta(*answer);
  return std::optional(OwnGateWrite{meta ? meta->resource_version : "",
                                    {wanted.open, wanted.reason, wanted.message,
                                     stays ? sight.pod.gate->since : std::optional(sight.now)}});
}

void GateWriter::note_failure(const GateSight& sight, const Error& error) {
  if (error.code == ErrorCode::Cancelled) {
    return;
  }
  parts_.metrics.count_error(error.code);
  Fields fields;
  fields["pod"] = sight.key;
  fields["code"] = scaledcache::name_of(error.code);
  fields["error"] = error.message;
  parts_.log.warn("gate not written", fields);
}

void GateWriter::tell(const GateSight& sight,
                      const core::WarmthVerdict& verdict,
                      const std::stop_token& stop) {
  const bool opened = verdict.gate == core::GateMove::Open;
  Fields fields;
  fields["pod"] = sight.key;
  fields["reason"] = core::name_of(verdict.reason);
  fields["sentence"] = verdict.message;
  parts_.log.info(opened ? "gate opened" : "gate closed", fields);
  const char* reason = event_reason(verdict);
  if (reason == nullptr || sight.scene.cache == nullptr) {
    return;
  }
  const k8s::Event event{sight.scene.cache->reference(),
                         verdict.reason != core::WarmthReason::CacheWarm,
                         reason,
                         opened ? "OpenGate" : "CloseGate",
                         sight.pod.name + ": " + verdict.message,
                         sight.now};
  const auto posted =
      parts_.client.post({k8s::collection_path(k8s::events(), sight.pod.name_space),
                          dump_json(k8s::encode_event(event, parts_.instance)), k8s::kGateManager},
                         stop);
  if (posted) {
    parts_.metrics.count_write("event");
  }
}

}  // namespace scaledcache::controller
