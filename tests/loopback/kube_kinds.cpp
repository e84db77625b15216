#include "loopback/kube_kinds.h"

#include <algorithm>
#include <stdexcept>

namespace scaledcache::loopback {
namespace {

bool has_label(const Json& object, std::string_view pair) {
  const std::size_t equals = pair.find('=');
  const Json labels = object["metadata"].value("labels", Json::object());
  return labels.value(std::string(pair.substr(0, equals)), "") == pair.substr(equals + 1);
}

}  // namespace

const std::vector<ServedKind>& served_kinds() {
  static const std::vector<ServedKind> kinds{
      {"scaledcache.io", "v1alpha1", "scaledcaches", "ScaledCache", true, false},
      {"apps", "v1", "deployments", "Deployment", false, true},
      {"apps", "v1", "statefulsets", "StatefulSet", false, true},
      {"apps", "v1", "replicasets", "ReplicaSet", false, true},
      {"apps", "v1", "daemonsets", "DaemonSet", false, false},
      {"", "v1", "pods", "Pod", false, false},
      {"", "v1", "configmaps", "ConfigMap", false, false},
      {"autoscaling", "v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler", false, false},
      {"events.k8s.io", "v1", "events", "Event", false, false},
      {"coordination.k8s.io", "v1", "leases", "Lease", false, false},
      {"", "v1", "secrets", "Secret", false, false},
      {"", "v1", "services", "Service", false, false},
      {"", "v1", "serviceaccounts", "ServiceAccount", false, false},
      {"admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations",
       "MutatingWebhookConfiguration", false, false},
  };
  return kinds;
}

const ServedKind& kind_of(std::string_view plural) {
  for (const ServedKind& kind : served_kinds()) {
    if (kind.plural == plural) {
      return kind;
    }
  }
  throw std::logic_error("no such kind: " + std::string(plural));
}

std::string key_of(const Json& object) {
  const Json& meta = object["metadata"];
  return meta["namespace"].get<std::string>() + "/" + meta["name"].get<std::string>();
}

bool Selection::holds(const Json& object) const {
  const Json& meta = object["metadata"];
  if ((!name_space.empty() && meta["namespace"] != name_space) ||
      (!name.empty() && meta["name"] != name)) {
    return false;
  }
  std::string_view rest = label_selector;
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find(','));
    if (!has_label(object, pair)) {
      return false;
    }
    rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
  }
  return true;
}

}  // namespace scaledcache::loopback
