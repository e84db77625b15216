// The few facts of a pod that decisions need.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "k8s/object_meta.h"

namespace scaledcache::k8s {

enum class PodPhase { Pending, Running, Succeeded, Failed, Unknown };

[[nodiscard]] std::string_view name_of(PodPhase phase);

// The readiness gate that holds a pod back until its cache is warm, and the label that every pod
// with that gate carries.
inline constexpr std::string_view kGateCondition = "scaledcache.io/cache-warm";
inline constexpr std::string_view kGatedLabel = "scaledcache.io/gated";
// The intent to drain: who set it, so that a crash can be resumed or rolled back.
inline constexpr std::string_view kDrainAnnotation = "scaledcache.io/drain";
inline constexpr std::string_view kDeletionCostAnnotation =
    "controller.kubernetes.io/pod-deletion-cost";

// Our condition as the pod's status holds it.
struct GateState {
  bool open = false;
  std::string reason;
  std::string message;
  std::optional<WallTime> since;

  bool operator==(const GateState&) const = default;
};

// A container as the pod's spec and status show it; in no order of theirs, but by name.
struct Container {
  std::string name;
  std::string id;                   // another one after every restart; "" until it runs
  std::optional<WallTime> started;  // while it runs
  std::vector<int> ports;           // that it declares

  bool operator==(const Container&) const = default;
};

// Small on purpose: a cluster may show us thousands.
struct Pod {
  std::string name;
  std::string name_space;
  std::string uid;
  std::string resource_version;
  std::optional<OwnerRef> owner;
  PodPhase phase = PodPhase::Unknown;
  bool ready = false;
  std::optional<WallTime> ready_since;        // since when Ready is True; absent while it is not
  std::optional<WallTime> unready_since;      // since when Ready is False; absent while it is True
  std::optional<WallTime> container_started;  // the newest start among the running containers
  std::optional<WallTime> deleted;            // deletionTimestamp: the pod is Terminating
  std::string revision;                       // label pod-template-hash or controller-revision-hash
  std::string pod_ip;
  bool host_network = false;
  std::string node;
  std::string zone;  // label topology.kubernetes.io/zone, where the API server copies it
  std::vector<Container> containers;
  bool containers_ready = false;
  std::optional<WallTime> containers_ready_since;
  bool has_gate = false;  // spec.readinessGates names ours
  bool gated_label = false;
  std::optional<GateState> gate;  // absent until somebody has written it
  std::string drain;              // annotation scaledcache.io/drain; "" when there is none
  std::string deletion_cost;      // annotation; "" when there is none

  // Neither done nor on its way out.
  [[nodiscard]] bool alive() const {
    return !deleted && phase != PodPhase::Succeeded && phase != PodPhase::Failed;
  }

  // Whether one of its containers declares the port.
  [[nodiscard]] bool declares(int port) const;

  bool operator==(const Pod&) const = default;
};

// Protocol when the object has no name or UID; every other missing or mistyped field reads as
// absent, and absent never means ready.
[[nodiscard]] Result<Pod> decode_pod(const Json& object);

}  // namespace scaledcache::k8s
