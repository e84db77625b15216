#include "controller/watches.h"

#include <algorithm>
#include <compare>

#include "k8s/paths.h"
#include "k8s/store_sink.h"
#include "k8s/watch_state.h"

namespace scaledcache::controller {
namespace {

using k8s::Change;
using k8s::ScaledCache;
using k8s::StoreSink;
using k8s::Workload;

const k8s::ResourceType kStatefulSets{"apps", "v1", "statefulsets"};
const k8s::ResourceType kReplicaSets{"apps", "v1", "replicasets"};
const k8s::ResourceType kAutoscalers{"autoscaling", "v2", "horizontalpodautoscalers"};

std::string namespace_of(const std::string& key) {
  return key.substr(0, key.find('/'));
}

// Whether a user did something, as opposed to our own status write.
bool is_edit(const Change<ScaledCache>& change) {
  if (change.is_added() || change.is_deleted() || !change.before->object || !change.after->object) {
    return true;
  }
  const k8s::ObjectMeta& before = change.before->object->meta;
  const k8s::ObjectMeta& after = change.after->object->meta;
  return before.generation != after.generation || before.annotations != after.annotations ||
         before.deleting != after.deleting;
}

std::string watch_name(const k8s::ResourceType& type, const std::string& name_space) {
  return name_space.empty() ? type.plural : type.plural + " of " + name_space;
}

k8s::WatchTarget watch_target(const k8s::ResourceType& type, const std::string& name_space) {
  return {watch_name(type, name_space), k8s::collection_path(type, name_space), "", ""};
}

k8s::WatchTarget gated_target(const std::string& name_space) {
  k8s::WatchTarget target = watch_target(k8s::pods(), name_space);
  target.name = "gated " + target.name;
  target.label_selector = std::string(k8s::kGatedLabel) + "=true";
  return target;
}

bool has_gate(const std::optional<k8s::Entry<k8s::Pod>>& entry) {
  return entry && entry->object && entry->object->has_gate;
}

bool waits_behind_gate(const k8s::Pod& pod) {
  return pod.has_gate && pod.alive() && !(pod.gate && pod.gate->open);
}

// The newer state of one pod, as two watches show it.
std::shared_ptr<const k8s::Pod> newer(std::shared_ptr<const k8s::Pod> one,
                                      std::shared_ptr<const k8s::Pod> other) {
  if (!one || !other) {
    return one ? std::move(one) : std::move(other);
  }
  const auto order = k8s::compare_resource_versions(one->resource_version, other->resource_version);
  return order && std::is_lt(*order) ? std::move(other) : std::move(one);
}

}  // namespace

// A view and the feeds that fill it; the feeds end first.
struct Watches::WatchedNamespace {
  // Pods that one selector matches.
  struct Selected {
    k8s::Store<k8s::Pod> pods;
    std::unique_ptr<Feed> feed;
  };

  NamespaceView view;
  std::map<std::string, std::shared_ptr<Selected>> baselines;  // by selector
  std::vector<std::unique_ptr<Feed>> feeds;

  ~WatchedNamespace() {
    for (const auto& feed : feeds) {
      feed->request_stop();
    }
  }
};

Watches::Watches(FeedParts parts,
                 const std::vector<std::string>& namespaces,
                 WatchCallbacks callbacks)
    : parts_(std::move(parts)), callbacks_(std::move(callbacks)) {
  const std::vector<std::string> scopes =
      namespaces.empty() ? std::vector<std::string>{""} : namespaces;
  // All stores stand before the first watch runs: its callbacks read every one of them.
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    cache_stores_.push_back(std::make_unique<k8s::Store<ScaledCache>>());
    gated_stores_.push_back(std::make_unique<k8s::Store<k8s::Pod>>());
  }
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    gated_feeds_.push_back(std::make_unique<Feed>(
        parts_, gated_target(scopes[i]),
        std::make_unique<StoreSink<k8s::Pod>>(
            *gated_stores_[i], k8s::decode_pod,
            [this](const Change<k8s::Pod>& change) { on_pod_change(change); },
            [](const k8s::Pod& pod) { return pod.has_gate; })));
    cache_feeds_.push_back(std::make_unique<Feed>(
        parts_, watch_target(k8s::scaled_caches(), scopes[i]),
        std::make_unique<StoreSink<ScaledCache>>(
            *cache_stores_[i], k8s::scaled_cache_from_json,
            [this](const Change<ScaledCache>& change) { on_cache_change(change); })));
  }
}

Watches::~Watches() {
  for (const auto& feed : cache_feeds_) {
    feed->request_stop();
  }
  for (const auto& feed : gated_feeds_) {
    feed->request_stop();
  }
}

// The namespace is watched from now on, whether this replica leads or stands by: the webhook
// answers from what is known, and a new leader need not begin with a list.
void Watches::on_cache_change(const Change<ScaledCache>& change) {
  if (!is_edit(change)) {
    return;
  }
  if (!change.is_deleted()) {
    (void)view(change.envelope().name_space);
  }
  for (const std::string& pod : gated_keys(change.envelope().name_space)) {
    callbacks_.on_pod(pod);
  }
  callbacks_.on_due(change.key());
}

void Watches::on_pod_change(const Change<k8s::Pod>& change) const {
  if (has_gate(change.before) || has_gate(change.after)) {
    callbacks_.on_pod(change.key());
  }
}

void Watches::on_workload_change(const Change<Workload>& change) const {
  if (!change.is_added() && !change.is_deleted()) {
    return;  // the next tick sees it; deciding more often than the poll interval is nobody's wish
  }
  const k8s::Envelope& workload = change.envelope();
  for (const auto& cache : caches_in(workload.name_space)) {
    if (cache->spec.target.name == workload.name) {
      callbacks_.on_due(cache->meta.name_space + "/" + cache->meta.name);
    }
  }
}

// Who scales the target changed: that is worth a look at once.
void Watches::on_autoscaler_change(const Change<k8s::Hpa>& change) const {
  const auto names = [](const std::optional<k8s::Entry<k8s::Hpa>>& entry,
                        const k8s::ObjectRef& target) {
    return entry && entry->object && k8s::same_target(entry->object->target, target);
  };
  for (const auto& cache : caches_in(change.envelope().name_space)) {
    const k8s::ObjectRef target = cache->target();
    if (names(change.before, target) != names(change.after, target)) {
      callbacks_.on_due(cache->meta.name_space + "/" + cache->meta.name);
    }
  }
}

std::shared_ptr<const ScaledCache> Watches::find_cache(const std::string& key) const {
  for (const auto& store : cache_stores_) {
    if (auto entry = store->find(key)) {
      return entry->object;
    }
  }
  return nullptr;
}

std::vector<std::shared_ptr<const ScaledCache>> Watches::caches_in(
    const std::string& name_space) const {
  std::vector<std::shared_ptr<const ScaledCache>> caches;
  for (const auto& store : cache_stores_) {
    for (auto& entry : store->in_namespace(name_space)) {
      if (entry.object) {
        caches.push_back(std::move(entry.object));
      }
    }
  }
  return caches;
}

std::shared_ptr<const NamespaceView> Watches::view(const std::string& name_space) {
  MutexLock lock(mutex_);
  std::shared_ptr<WatchedNamespace>& watched = watched_[name_space];
  if (watched) {
    return {watched, &watched->view};
  }
  watched = std::make_shared<WatchedNamespace>();
  const auto watch_workloads = [&](const k8s::ResourceType& type, std::string kind,
                                   k8s::Store<Workload>& store) {
    watched->feeds.push_back(std::make_unique<Feed>(
        parts_, watch_target(type, name_space),
        std::make_unique<StoreSink<Workload>>(
            store,
            [kind = std::move(kind)](const Json& object) {
              return k8s::decode_workload(object, "apps/v1", kind);
            },
            [this](const Change<Workload>& change) { on_workload_change(change); })));
  };
  watch_workloads(k8s::deployments(), "Deployment", watched->view.deployments);
  watch_workloads(kStatefulSets, "StatefulSet", watched->view.stateful_sets);
  watch_workloads(kReplicaSets, "ReplicaSet", watched->view.replica_sets);
  watched->feeds.push_back(std::make_unique<Feed>(
      parts_, watch_target(k8s::pods(), name_space),
      std::make_unique<StoreSink<k8s::Pod>>(
          watched->view.pods, k8s::decode_pod,
          [this](const Change<k8s::Pod>& change) { on_pod_change(change); })));
  watched->feeds.push_back(watch_autoscalers(name_space, watched->view));
  return {watched, &watched->view};
}

// Many operators may not read autoscalers, and not every cluster serves them: then there are none
// as far as we can know.
std::unique_ptr<Feed> Watches::watch_autoscalers(const std::string& name_space,
                                                 NamespaceView& view) const {
  return std::make_unique<Feed>(
      parts_, watch_target(kAutoscalers, name_space),
      std::make_unique<StoreSink<k8s::Hpa>>(
          view.autoscalers, k8s::decode_hpa,
          [this](const Change<k8s::Hpa>& change) { on_autoscaler_change(change); }),
      [&view](const Error& error) {
        if (error.code == ErrorCode::Forbidden || error.code == ErrorCode::NotFound) {
          view.autoscalers_hidden = true;
        }
      });
}

std::set<std::string> Watches::baselines_in(const std::string& name_space) const {
  std::set<std::string> selectors;
  for (const auto& cache : caches_in(name_space)) {
    if (cache->spec.baseline) {
      selectors.insert(cache->spec.baseline->selector);
    }
  }
  return selectors;
}

std::shared_ptr<const k8s::Store<k8s::Pod>> Watches::baseline_pods(const std::string& name_space,
                                                                   const std::string& selector) {
  using Selected = WatchedNamespace::Selected;
  const std::set<std::string> in_use = baselines_in(name_space);
  std::vector<std::shared_ptr<Selected>> unused;  // ended outside the lock
  MutexLock lock(mutex_);
  const auto watched = watched_.find(name_space);
  if (watched == watched_.end() || !in_use.contains(selector)) {
    return nullptr;
  }
  auto& baselines = watched->second->baselines;
  for (auto at = baselines.begin(); at != baselines.end();) {
    const bool is_used = in_use.contains(at->first);
    if (!is_used) {
      unused.push_back(std::move(at->second));
    }
    at = is_used ? std::next(at) : baselines.erase(at);
  }
  std::shared_ptr<Selected>& selected = baselines[selector];
  if (!selected) {
    selected = std::make_shared<Selected>();
    k8s::WatchTarget target = watch_target(k8s::pods(), name_space);
    target.name = "baseline " + target.name;
    target.label_selector = selector;
    selected->feed = std::make_unique<Feed>(
        parts_, std::move(target),
        std::make_unique<StoreSink<k8s::Pod>>(selected->pods, k8s::decode_pod,
                                              [](const Change<k8s::Pod>&) {}));
  }
  return {selected, &selected->pods};
}

std::shared_ptr<const NamespaceView> Watches::known_view(const std::string& name_space) const {
  MutexLock lock(mutex_);
  const auto found = watched_.find(name_space);
  return found == watched_.end()
             ? nullptr
             : std::shared_ptr<const NamespaceView>(found->second, &found->second->view);
}

std::shared_ptr<const k8s::Pod> Watches::find_gated_pod(const std::string& key) const {
  std::shared_ptr<const k8s::Pod> pod;
  const auto look_into = [&](const k8s::Store<k8s::Pod>& store) {
    const auto entry = store.find(key);
    if (has_gate(entry)) {
      pod = newer(std::move(pod), entry->object);
    }
  };
  for (const auto& store : gated_stores_) {
    look_into(*store);
  }
  if (const auto view = known_view(namespace_of(key))) {
    look_into(view->pods);
  }
  return pod;
}

bool Watches::caches_synced() const {
  return std::all_of(cache_stores_.begin(), cache_stores_.end(),
                     [](const auto& store) { return store->synced(); });
}

std::set<std::string> Watches::gated_keys(const std::string& name_space) const {
  std::set<std::string> keys;
  const auto collect = [&](const k8s::Store<k8s::Pod>& store) {
    for (const auto& entry : store.in_namespace(name_space)) {
      if (has_gate(entry)) {
        keys.insert(entry.envelope.key());
      }
    }
  };
  for (const auto& store : gated_stores_) {
    collect(*store);
  }
  if (const auto view = known_view(name_space)) {
    collect(view->pods);
  }
  return keys;
}

std::set<std::string> Watches::namespaces_in_use() const {
  std::set<std::string> used;
  for (const auto& store : cache_stores_) {
    for (const auto& entry : store->all()) {
      used.insert(namespace_of(entry.envelope.key()));
    }
  }
  return used;
}

void Watches::drop_unused_views() {
  const std::set<std::string> used = namespaces_in_use();
  const auto has_closed_gate = [](const NamespaceView& view) {
    const auto pods = view.pods.all();
    return std::any_of(pods.begin(), pods.end(), [](const auto& entry) {
      return entry.object && waits_behind_gate(*entry.object);
    });
  };
  std::vector<std::shared_ptr<WatchedNamespace>> unused;  // ended outside the lock
  MutexLock lock(mutex_);
  for (auto at = watched_.begin(); at != watched_.end();) {
    if (used.contains(at->first) || has_closed_gate(at->second->view)) {
      ++at;
    } else {
      unused.push_back(std::move(at->second));
      at = watched_.erase(at);
    }
  }
}

std::vector<WatchReport> Watches::cache_reports() const {
  std::vector<WatchReport> reports;
  for (const auto& feed : cache_feeds_) {
    reports.push_back(feed->report());
  }
  return reports;
}

std::vector<WatchReport> Watches::reports() const {
  std::vector<WatchReport> reports = cache_reports();
  for (const auto& feed : gated_feeds_) {
    reports.push_back(feed->report());
  }
  MutexLock lock(mutex_);
  for (const auto& [name_space, watched] : watched_) {
    for (const auto& feed : watched->feeds) {
      reports.push_back(feed->report());
    }
    for (const auto& [selector, selected] : watched->baselines) {
      reports.push_back(selected->feed->report());
    }
  }
  return reports;
}

void Watches::update_tls(const http::ClientTlsOptions& tls) {
  for (const auto& feed : cache_feeds_) {
    feed->update_tls(tls);
  }
  for (const auto& feed : gated_feeds_) {
    feed->update_tls(tls);
  }
  MutexLock lock(mutex_);
  for (const auto& [name_space, watched] : watched_) {
    for (const auto& feed : watched->feeds) {
      feed->update_tls(tls);
    }
    for (const auto& [selector, selected] : watched->baselines) {
      selected->feed->update_tls(tls);
    }
  }
}

}  // namespace scaledcache::controller
