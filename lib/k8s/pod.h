// The few facts of a pod that decisions need.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "k8s/object_meta.h"

namespace scaledcache::k8s {

enum class PodPhase { Pending, Running, Succeeded, Failed, Unknown };

[[nodiscard]] std::string_view name_of(PodPhase phase);

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

  // Neither done nor on its way out.
  [[nodiscard]] bool alive() const {
    return !deleted && phase != PodPhase::Succeeded && phase != PodPhase::Failed;
  }

  bool operator==(const Pod&) const = default;
};

// Protocol when the object has no name or UID; every other missing or mistyped field reads as
// absent, and absent never means ready.
[[nodiscard]] Result<Pod> decode_pod(const Json& object);

}  // namespace scaledcache::k8s
