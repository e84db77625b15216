// What is asked of the API server for each watch: the collection, the selector, and the name that
// logs and health give it.
#pragma once

#include <string>

#include "k8s/paths.h"
#include "k8s/watcher.h"

namespace scaledcache::controller {

inline const k8s::ResourceType kStatefulSets{"apps", "v1", "statefulsets"};
inline const k8s::ResourceType kReplicaSets{"apps", "v1", "replicasets"};
inline const k8s::ResourceType kAutoscalers{"autoscaling", "v2", "horizontalpodautoscalers"};

// All of one kind in a namespace; in every namespace where that is "".
[[nodiscard]] k8s::WatchTarget watch_target(const k8s::ResourceType& type,
                                            const std::string& name_space);

// The pods that carry the label of our gate.
[[nodiscard]] k8s::WatchTarget gated_target(const std::string& name_space);

// The pods of a baseline.
[[nodiscard]] k8s::WatchTarget baseline_target(const std::string& name_space,
                                               const std::string& selector);

}  // namespace scaledcache::controller
