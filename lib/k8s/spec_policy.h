// From what a user typed and what the API server shows to the values that deciding needs.
#pragma once

#include <optional>

#include "core/observation.h"
#include "core/policy.h"
#include "k8s/pod.h"
#include "k8s/scaled_cache.h"
#include "k8s/spec.h"
#include "k8s/workload.h"

namespace scaledcache::k8s {

// For a spec without problems. A preset that brings a saturation query of its own is unknown here:
// the caller sets `saturation` of such a signal.
[[nodiscard]] core::Policy to_policy(const Spec& spec);

[[nodiscard]] core::PauseWish to_pause_wish(const PauseAnnotations& pause);

// `belongs`: whether the pod is one of the target's by owner. ready_since of a pod that is unready
// now, and ready_until of one that was never ready, cannot be seen in a pod and stay as they are.
[[nodiscard]] core::PodFacts to_pod_facts(const Pod& pod, bool belongs);

// Who wrote spec.replicas last; nothing when managedFields do not tell.
[[nodiscard]] std::optional<core::CountWrite> to_count_write(
    const std::optional<ReplicasWriter>& writer);

}  // namespace scaledcache::k8s
