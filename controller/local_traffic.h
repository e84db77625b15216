// Whether a node's clients reach only the pods of that node: then the last ready pod of a node is
// one that cannot be spared.
#pragma once

#include <stop_token>
#include <vector>

#include "base/json.h"
#include "controller/target.h"
#include "k8s/kube_client.h"

namespace scaledcache::controller {

// Whether a Service that selects pods with these labels has internalTrafficPolicy: Local.
[[nodiscard]] bool routes_locally(const std::vector<Json>& services, const Json& labels);

// Asks the API server for the Services of the namespace and the labels of one pod of the target.
// False where it does not tell, or may not be asked.
[[nodiscard]] bool routes_locally(k8s::KubeClient& client,
                                  const Target& target,
                                  const std::stop_token& stop);

}  // namespace scaledcache::controller
