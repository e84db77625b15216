#include "controller/watched_namespace.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "controller/watch_targets.h"
#include "k8s/store_sink.h"

namespace scaledcache::controller {
namespace {

using k8s::StoreSink;

bool waits_behind_gate(const k8s::Pod& pod) {
  return pod.has_gate && pod.alive() && !(pod.gate && pod.gate->open);
}

}  // namespace

WatchedNamespace::WatchedNamespace(const FeedParts& parts,
                                   std::string name,
                                   const NamespaceCallbacks& callbacks)
    : parts_(parts), name_(std::move(name)) {
  watch_workloads(k8s::deployments(), "Deployment", view_.deployments, callbacks);
  watch_workloads(kStatefulSets, "StatefulSet", view_.stateful_sets, callbacks);
  watch_workloads(kReplicaSets, "ReplicaSet", view_.replica_sets, callbacks);
  feeds_.push_back(std::make_unique<Feed>(
      parts_, watch_target(k8s::pods(), name_),
      std::make_unique<StoreSink<k8s::Pod>>(view_.pods, k8s::decode_pod, callbacks.on_pod)));
  watch_autoscalers(callbacks);
}

// They end at once, not one after the other.
WatchedNamespace::~WatchedNamespace() {
  for (const auto& feed : feeds_) {
    feed->request_stop();
  }
}

void WatchedNamespace::watch_workloads(const k8s::ResourceType& type,
                                       const std::string& kind,
                                       k8s::Store<k8s::Workload>& store,
                                       const NamespaceCallbacks& callbacks) {
  feeds_.push_back(std::make_unique<Feed>(
      parts_, watch_target(type, name_),
      std::make_unique<StoreSink<k8s::Workload>>(
          store,
          [kind](const Json& object) { return k8s::decode_workload(object, "apps/v1", kind); },
          callbacks.on_workload)));
}

// Many operators may not read autoscalers, and not every cluster serves them: then there are none
// as far as we can know.
void WatchedNamespace::watch_autoscalers(const NamespaceCallbacks& callbacks) {
  feeds_.push_back(std::make_unique<Feed>(
      parts_, watch_target(kAutoscalers, name_),
      std::make_unique<StoreSink<k8s::Hpa>>(view_.autoscalers, k8s::decode_hpa,
                                            callbacks.on_autoscaler),
      [this](const Error& error) {
        if (error.code == ErrorCode::Forbidden || error.code == ErrorCode::NotFound) {
          view_.autoscalers_hidden = true;
        }
      }));
}

bool WatchedNamespace::has_closed_gate() const {
  const auto pods = view_.pods.all();
  return std::any_of(pods.begin(), pods.end(), [](const auto& entry) {
    return entry.object && waits_behind_gate(*entry.object);
  });
}

std::shared_ptr<SelectedPods> WatchedNamespace::baseline(const std::string& selector) {
  std::shared_ptr<SelectedPods>& selected = baselines_[selector];
  if (!selected) {
    selected = std::make_shared<SelectedPods>();
    selected->feed = std::make_unique<Feed>(
        parts_, baseline_target(name_, selector),
        std::make_unique<StoreSink<k8s::Pod>>(selected->pods, k8s::decode_pod,
                                              [](const k8s::Change<k8s::Pod>&) {}));
  }
  return selected;
}

std::vector<std::shared_ptr<SelectedPods>> WatchedNamespace::take_unused(
    const std::set<std::string>& selectors_in_use) {
  std::vector<std::shared_ptr<SelectedPods>> unused;
  for (auto at = baselines_.begin(); at != baselines_.end();) {
    const bool is_used = selectors_in_use.contains(at->first);
    if (!is_used) {
      unused.push_back(std::move(at->second));
    }
    at = is_used ? std::next(at) : baselines_.erase(at);
  }
  return unused;
}

void WatchedNamespace::visit_feeds(const std::function<void(Feed& feed)>& visit) const {
  for (const auto& feed : feeds_) {
    visit(*feed);
  }
  for (const auto& [selector, selected] : baselines_) {
    visit(*selected->feed);
  }
}

}  // namespace scaledcache::controller
