// How the API server applies patches to what the operator writes. Pure: an object and a request
// give the new object, or a refusal.
#pragma once

#include <string>

#include "base/json.h"

#include "loopback/kube_answer.h"

namespace scaledcache::loopback {

struct PatchCall {
  std::string media_type;
  std::string body;
  std::string field_manager;
};

// The scale subresource of an object (autoscaling/v1 Scale): without spec.replicas where it is 0.
[[nodiscard]] Json scale_of(const Json& object);

// JSON patch and merge patch on the scale of `object`; the answer's body is the whole new object.
[[nodiscard]] KubeAnswer patch_scale(const Json& object, const PatchCall& call);

// JSON patch and merge patch on the status of a custom `object`: nothing else of it changes, and a
// UID in a merge patch is ignored, as the real one does for custom resources.
[[nodiscard]] KubeAnswer patch_status(const Json& object, const PatchCall& call);

// Strategic merge patch on the status of a pod: its conditions are merged by type, and another UID
// in the body is refused. Other media types as for any object.
[[nodiscard]] KubeAnswer patch_pod_status(const Json& pod, const PatchCall& call);

// The same media types on a pod itself: only its metadata may change, and a UID is a precondition.
[[nodiscard]] KubeAnswer patch_pod(const Json& pod, const PatchCall& call);

// `object` with that count and its writer in managedFields: without a time, and without a writer
// where the old or the new count is 0, as the real one does for writes to the scale.
[[nodiscard]] Json with_replicas(Json object, int replicas, const std::string& manager);

}  // namespace scaledcache::loopback
