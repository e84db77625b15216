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

void read_conditions(const Json& status, Pod& pod) {
  const Json* conditions = find_member(status, "conditions");
  if (conditions == nullptr || !conditions->is_array()) {
    return;
  }
  for (const Json& condition : *conditions) {
    const std::string type = string_member(condition, "type");
    const bool is_true = string_member(condition, "status") == "True";
    const auto since = time_member(condition, "lastTransitionTime");
    if (type == "Ready") {
      pod.ready = is_true;
      (pod.ready ? pod.ready_since : pod.unready_since) = since;
    } else if (type == "ContainersReady") {
      pod.containers_ready = is_true;
      pod.containers_ready_since = is_true ? since : std::nullopt;
    } else if (type == kGateCondition) {
      pod.gate = GateState{is_true, string_member(condition, "reason"),
                           string_member(condition, "message"), since};
    }
  }
}

// The one of that name, a new one where there is none.
Container& container_of(Pod& pod, std::string name) {
  const auto at = std::lower_bound(
      pod.containers.begin(), pod.containers.end(), name,
      [](const Container& one, const std::string& wanted) { return one.name < wanted; });
  if (at != pod.containers.end() && at->name == name) {
    return *at;
  }
  return *pod.containers.insert(at, Container{std::move(name), {}, {}, {}});
}

// Calls `read` for each element of an array; nothing where there is none.
template <class Read>
void for_each(const Json& object, const char* member, const Read& read) {
  const Json* elements = find_member(object, member);
  if (elements != nullptr && elements->is_array()) {
    std::for_each(elements->begin(), elements->end(), read);
  }
}

void read_declared_containers(const Json& spec, Pod& pod) {
  for_each(spec, "containers", [&](const Json& declared) {
    Container& container = container_of(pod, string_member(declared, "name"));
    for_each(declared, "ports", [&](const Json& port) {
      const Json* number = find_member(port, "containerPort");
      if (number != nullptr && number->is_number_integer()) {
        container.ports.push_back(number->get<int>());
      }
    });
  });
}

// A restart of any container may have reset a counter, so the newest start counts for the pod.
void read_containers(const Json& status, Pod& pod) {
  for_each(status, "containerStatuses", [&](const Json& seen) {
    Container& container = container_of(pod, string_member(seen, "name"));
    container.id = string_member(seen, "containerID");
    const Json* state = find_member(seen, "state");
    const Json* running = state == nullptr ? nullptr : find_member(*state, "running");
    container.started = running == nullptr ? std::nullopt : time_member(*running, "startedAt");
    pod.container_started = std::max(pod.container_started, container.started);
  });
}

bool has_gate(const Json& spec) {
  const Json* gates = find_member(spec, "readinessGates");
  return gates != nullptr && gates->is_array() &&
         std::any_of(gates->begin(), gates->end(), [](const Json& gate) {
           return string_member(gate, "conditionType") == kGateCondition;
         });
}

void read_spec(const Json& spec, Pod& pod) {
  const Json* host_network = find_member(spec, "hostNetwork");
  pod.host_network =
      host_network != nullptr && host_network->is_boolean() && host_network->get<bool>();
  pod.node = string_member(spec, "nodeName");
  read_declared_containers(spec, pod);
  pod.has_gate = has_gate(spec);
}

void read_metadata(const Json& metadata, Pod& pod) {
  pod.deleted = time_member(metadata, "deletionTimestamp");
  pod.revision = revision_of(metadata);
  if (const Json* labels = find_member(metadata, "labels")) {
    pod.zone = string_member(*labels, "topology.kubernetes.io/zone");
    pod.gated_label = string_member(*labels, kGatedLabel) == "true";
  }
  if (const Json* annotations = find_member(metadata, "annotations")) {
    pod.drain = string_member(*annotations, kDrainAnnotation);
    pod.deletion_cost = string_member(*annotations, kDeletionCostAnnotation);
  }
}

}  // namespace

std::string_view name_of(PodPhase phase) {
  const auto* found = std::find_if(kPhases.begin(), kPhases.end(),
                                   [&](const auto& entry) { return entry.second == phase; });
  return found == kPhases.end() ? "Unknown" : found->first;
}

bool Pod::declares(int port) const {
  return std::any_of(containers.begin(), containers.end(), [&](const Container& container) {
    return std::find(container.ports.begin(), container.ports.end(), port) != container.ports.end();
  });
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
  read_metadata(metadata, pod);
  if (const Json* spec = find_member(object, "spec")) {
    read_spec(*spec, pod);
  }
  if (const Json* status = find_member(object, "status")) {
    pod.phase = phase_of(string_member(*status, "phase"));
    pod.pod_ip = string_member(*status, "podIP");
    read_containers(*status, pod);
    read_conditions(*status, pod);
  }
  return pod;
}

}  // namespace scaledcache::k8s
