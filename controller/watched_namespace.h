// One namespace that has a ScaledCache: what is known of it, and the watches that keep it so.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "controller/cluster_view.h"
#include "controller/feed.h"
#include "k8s/hpa.h"
#include "k8s/paths.h"
#include "k8s/pod.h"
#include "k8s/store.h"
#include "k8s/workload.h"

namespace scaledcache::controller {

// Called on the thread of the watch that saw the change.
struct NamespaceCallbacks {
  std::function<void(const k8s::Change<k8s::Workload>& change)> on_workload;
  std::function<void(const k8s::Change<k8s::Pod>& change)> on_pod;
  std::function<void(const k8s::Change<k8s::Hpa>& change)> on_autoscaler;
};

// The pods that one selector matches.
struct SelectedPods {
  k8s::Store<k8s::Pod> pods;
  std::unique_ptr<Feed> feed;
};

// Watches from construction to destruction. What the views hold is thread safe; the functions are
// for one thread at a time.
class WatchedNamespace {
 public:
  // `parts` outlive it.
  WatchedNamespace(const FeedParts& parts, std::string name, const NamespaceCallbacks& callbacks);
  WatchedNamespace(const WatchedNamespace&) = delete;
  WatchedNamespace& operator=(const WatchedNamespace&) = delete;
  ~WatchedNamespace();

  [[nodiscard]] const NamespaceView& view() const { return view_; }

  // A pod that is alive waits behind our gate.
  [[nodiscard]] bool has_closed_gate() const;

  // The pods of a baseline, watched from the first call on.
  [[nodiscard]] std::shared_ptr<SelectedPods> baseline(const std::string& selector);

  // Takes out the baselines that nobody has any more; their watches end with what is returned.
  [[nodiscard]] std::vector<std::shared_ptr<SelectedPods>> take_unused(
      const std::set<std::string>& selectors_in_use);

  void visit_feeds(const std::function<void(Feed& feed)>& visit) const;

 private:
  void watch_workloads(const k8s::ResourceType& type,
                       const std::string& kind,
                       k8s::Store<k8s::Workload>& store,
                       const NamespaceCallbacks& callbacks);
  void watch_autoscalers(const NamespaceCallbacks& callbacks);

  const FeedParts& parts_;
  const std::string name_;
  NamespaceView view_;
  std::map<std::string, std::shared_ptr<SelectedPods>> baselines_;  // by selector
  std::vector<std::unique_ptr<Feed>> feeds_;  // last: their threads use the view
};

}  // namespace scaledcache::controller
