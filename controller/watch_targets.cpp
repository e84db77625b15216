#include "controller/watch_targets.h"

#include "k8s/pod.h"

namespace scaledcache::controller {

k8s::WatchTarget watch_target(const k8s::ResourceType& type, const std::string& name_space) {
  const std::string name = name_space.empty() ? type.plural : type.plural + " of " + name_space;
  return {name, k8s::collection_path(type, name_space), "", ""};
}

k8s::WatchTarget gated_target(const std::string& name_space) {
  k8s::WatchTarget target = watch_target(k8s::pods(), name_space);
  target.name = "gated " + target.name;
  target.label_selector = std::string(k8s::kGatedLabel) + "=true";
  return target;
}

k8s::WatchTarget baseline_target(const std::string& name_space, const std::string& selector) {
  k8s::WatchTarget target = watch_target(k8s::pods(), name_space);
  target.name = "baseline " + target.name;
  target.label_selector = selector;
  return target;
}

}  // namespace scaledcache::controller
