#include "k8s/pod.h"

#include <algorithm>
#include <array>
#include <utility>

namespace scaledcache::k8s {
namespace {

constexpr std::array kPhases{
    std::pair{std::string_view("Pending"), PodPhase::Pending},
    std::pair{std::string_view("Running"), PodPhase::Running},
    std::pair{std::string_view("Succeeded"), PodPhase::Succeeded},
    std::pair{std::string_view("Failed"), PodPhase::Failed},
    std::pair{std::string_view("Unknown"), PodPhase::Unknown},
};

PodPhase phase_of(const std::string& text) {
  for (const auto& [name, phase] : kPhases) {
    if (name == text) {
      return phase;
    }
  }
  return PodPhase::Unknown;
}

std::string revision_of(const Json& metadata) {
  const Json* labels = find_member(metadata, "labels");
  if (labels == nullptr) {
    return {};
  }
  std::string hash = string_member(*labels, "pod-template-hash");
  return hash.empty() ? string_member(*labels, "controller-revision-hash") : hash;
}

void read_readiness(const Json& status, Pod& pod) {
  const Json* conditions = find_member(status, "conditions");
  if (conditions == nullptr || !conditions->is_array()) {
    return;
  }
  for (const Json& condition : *conditions) {
    if (string_member(condition, "type") == "Ready") {
      pod.ready = string_member(condition, "status") == "True";
      (pod.ready ? pod.ready_since : pod.unready_since) =
          time_member(condition, "lastTransitionTime");
      return;
    }
  }
}

// A restart of any container may have reset a counter, so the newest start counts.
std::optional<WallTime> newest_container_start(const Json& status) {
  std::optional<WallTime> newest;
  const Json* containers = find_member(status, "containerStatuses");
  if (containers == nullptr || !containers->is_array()) {
    return newest;
  }
  for (const Json& container : *containers) {
    const Json* state = find_member(container, "state");
    const Json* running = state == nullptr ? nullptr : find_member(*state, "running");
    const auto started = running == nullptr ? std::nullopt : time_member(*running, "startedAt");
    if (started && (!newest || *started > *newest)) {
      newest = started;
    }
  }
  return newest;
}

}  // namespace

std::string_view name_of(PodPhase phase) {
  const auto* found = std::find_if(kPhases.begin(), kPhases.end(),
                                   [&](const auto& entry) { return entry.second == phase; });
  return found == kPhases.end() ? "Unknown" : found->first;
}

Result<Pod> decode_pod(const Json& object) {
  const auto meta = decode_meta(object);
  if (!meta) {
    return meta.error();
  }
  const Json& metadata = *find_member(object, "metadata");
  Pod pod;
  pod.name = meta->name;
  pod.name_space = meta->name_space;
  pod.uid = meta->uid;
  pod.resource_version = meta->resource_version;
  pod.owner = decode_controller(object);
  pod.deleted = time_member(metadata, "deletionTimestamp");
  pod.revision = revision_of(metadata);
  if (const Json* spec = find_member(object, "spec")) {
    const Json* host_network = find_member(*spec, "hostNetwork");
    pod.host_network =
        host_network != nullptr && host_network->is_boolean() && host_network->get<bool>();
  }
  if (const Json* status = find_member(object, "status")) {
    pod.phase = phase_of(string_member(*status, "phase"));
    pod.pod_ip = string_member(*status, "podIP");
    pod.container_started = newest_container_start(*status);
    read_readiness(*status, pod);
  }
  return pod;
}

}  // namespace scaledcache::k8s
