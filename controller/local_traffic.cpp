#include "controller/local_traffic.h"

#include <algorithm>

#include "k8s/paths.h"

namespace scaledcache::controller {
namespace {

const k8s::ResourceType& services() {
  static const k8s::ResourceType type{"", "v1", "services"};
  return type;
}

// An empty selector selects nothing.
bool selects(const Json& selector, const Json& labels) {
  if (!selector.is_object() || selector.empty()) {
    return false;
  }
  for (const auto& [name, value] : selector.items()) {
    const Json* label = find_member(labels, name);
    if (label == nullptr || *label != value) {
      return false;
    }
  }
  return true;
}

// Who may not look never learns it. Any other failure passes, and until it has, the safe answer is
// that a node's last pod is needed.
bool is_refused(const Error& error) {
  return error.code == ErrorCode::Forbidden || error.code == ErrorCode::Unauthorized;
}

}  // namespace

bool routes_locally(const std::vector<Json>& services, const Json& labels) {
  return std::any_of(services.begin(), services.end(), [&](const Json& service) {
    const Json* spec = find_member(service, "spec");
    const Json* selector = spec == nullptr ? nullptr : find_member(*spec, "selector");
    return selector != nullptr && string_member(*spec, "internalTrafficPolicy") == "Local" &&
           selects(*selector, labels);
  });
}

bool routes_locally(k8s::KubeClient& client, const Target& target, const std::stop_token& stop) {
  const auto pod = std::find_if(target.pods.begin(), target.pods.end(),
                                [](const k8s::Pod& one) { return one.alive(); });
  if (pod == target.pods.end()) {
    return false;
  }
  const auto list = client.list(k8s::collection_path(services(), pod->name_space), stop);
  if (!list) {
    return !is_refused(list.error());
  }
  const auto object = client.get(k8s::object_path(k8s::pods(), pod->name_space, pod->name), stop);
  if (!object) {
    return !is_refused(object.error());
  }
  const Json* metadata = find_member(*object, "metadata");
  const Json* labels = metadata == nullptr ? nullptr : find_member(*metadata, "labels");
  return labels != nullptr && routes_locally(list->items, *labels);
}

}  // namespace scaledcache::controller
