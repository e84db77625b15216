#include "controller/watches.h"

#include <algorithm>
#include <compare>

#include "controller/watch_targets.h"
#include "k8s/store_sink.h"
#include "k8s/watch_state.h"

namespace scaledcache::controller {
namespace {

using k8s::Change;
using k8s::ScaledCache;
using k8s::StoreSink;
using k8s::Workload;

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

bool has_gate(const std::optional<k8s::Entry<k8s::Pod>>& entry) {
  return entry && entry->object && entry->object->has_gate;
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

Watches::Watches(FeedParts parts,
                 const std::vector<std::string>& namespaces,
                 WatchCallbacks callbacks)
    : parts_(std::move(parts)),
      callbacks_(std::move(callbacks)),
      scopes_(namespaces.empty() ? std::vector<std::string>{""} : namespaces) {
  // All stores stand before the first watch runs: its callbacks read every one of them.
  for (std::size_t i = 0; i < scopes_.size(); ++i) {
    cache_stores_.push_back(std::make_unique<k8s::Store<ScaledCache>>());
    gated_stores_.push_back(std::make_unique<k8s::Store<k8s::Pod>>());
  }
  for (std::size_t i = 0; i < scopes_.size(); ++i) {
    gated_feeds_.push_back(std::make_unique<Feed>(
        parts_, gated_target(scopes_[i]),
        std::make_unique<StoreSink<k8s::Pod>>(
            *gated_stores_[i], k8s::decode_pod,
            [this](const Change<k8s::Pod>& change) { on_pod_change(change); },
            [](const k8s::Pod& pod) { return pod.has_gate; })));
    cache_feeds_.push_back(std::make_unique<Feed>(
        parts_, watch_target(k8s::scaled_caches(), scopes_[i]),
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

NamespaceCallbacks Watches::namespace_callbacks() const {
  return {[this](const Change<Workload>& change) { on_workload_change(change); },
          [this](const Change<k8s::Pod>& change) { on_pod_change(change); },
          [this](const Change<k8s::Hpa>& change) { on_autoscaler_change(change); }};
}

std::shared_ptr<const NamespaceView> Watches::view(const std::string& name_space) {
  MutexLock lock(mutex_);
  auto found = watched_.find(name_space);
  if (found == watched_.end()) {
    auto begun = std::make_shared<WatchedNamespace>(parts_, name_space, namespace_callbacks());
    found = watched_.emplace(name_space, std::move(begun)).first;
  }
  return {found->second, &found->second->view()};
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
  const std::set<std::string> in_use = baselines_in(name_space);
  std::vector<std::shared_ptr<SelectedPods>> unused;  // ended outside the lock
  MutexLock lock(mutex_);
  const auto watched = watched_.find(name_space);
  if (watched == watched_.end() || !in_use.contains(selector)) {
    return nullptr;
  }
  unused = watched->second->take_unused(in_use);
  const std::shared_ptr<SelectedPods> selected = watched->second->baseline(selector);
  return {selected, &selected->pods};
}

std::shared_ptr<const NamespaceView> Watches::known_view(const std::string& name_space) const {
  MutexLock lock(mutex_);
  const auto found = watched_.find(name_space);
  return found == watched_.end()
             ? nullptr
             : std::shared_ptr<const NamespaceView>(found->second, &found->second->view());
}

// Pods of a namespace may stand in two watches: those that show the label, and all of a namespace.
void Watches::visit_gated_pods(
    const std::string& name_space,
    const std::function<void(const k8s::Store<k8s::Pod>& store)>& visit) const {
  for (const auto& store : gated_stores_) {
    visit(*store);
  }
  if (const auto view = known_view(name_space)) {
    visit(view->pods);
  }
}

std::shared_ptr<const k8s::Pod> Watches::find_gated_pod(const std::string& key) const {
  std::shared_ptr<const k8s::Pod> pod;
  visit_gated_pods(namespace_of(key), [&](const k8s::Store<k8s::Pod>& store) {
    const auto entry = store.find(key);
    if (has_gate(entry)) {
      pod = newer(std::move(pod), entry->object);
    }
  });
  return pod;
}

bool Watches::caches_synced(const std::string& name_space) const {
  for (std::size_t i = 0; i < scopes_.size(); ++i) {
    if ((scopes_[i].empty() || scopes_[i] == name_space) && !cache_stores_[i]->synced()) {
      return false;
    }
  }
  return true;
}

std::set<std::string> Watches::gated_pods() const {
  std::set<std::string> keys;
  const auto collect = [&](const k8s::Store<k8s::Pod>& store) {
    for (const auto& entry : store.all()) {
      if (has_gate(entry)) {
        keys.insert(entry.envelope.key());
      }
    }
  };
  for (const auto& store : gated_stores_) {
    collect(*store);
  }
  MutexLock lock(mutex_);
  for (const auto& [name_space, watched] : watched_) {
    collect(watched->view().pods);
  }
  return keys;
}

std::set<std::string> Watches::cache_keys() const {
  std::set<std::string> keys;
  for (const auto& store : cache_stores_) {
    for (const auto& entry : store->all()) {
      keys.insert(entry.envelope.key());
    }
  }
  return keys;
}

std::set<std::string> Watches::gated_keys(const std::string& name_space) const {
  std::set<std::string> keys;
  visit_gated_pods(name_space, [&](const k8s::Store<k8s::Pod>& store) {
    for (const auto& entry : store.in_namespace(name_space)) {
      if (has_gate(entry)) {
        keys.insert(entry.envelope.key());
      }
    }
  });
  return keys;
}

std::set<std::string> Watches::namespaces_in_use() const {
  std::set<std::string> used;
  for (const std::string& key : cache_keys()) {
    used.insert(namespace_of(key));
  }
  return used;
}

void Watches::drop_unused_views() {
  const std::set<std::string> used = namespaces_in_use();
  std::vector<std::shared_ptr<WatchedNamespace>> unused;  // ended outside the lock
  MutexLock lock(mutex_);
  for (auto at = watched_.begin(); at != watched_.end();) {
    if (used.contains(at->first) || at->second->has_closed_gate()) {
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

void Watches::visit_feeds(const std::function<void(Feed& feed)>& visit) const {
  for (const auto& feed : cache_feeds_) {
    visit(*feed);
  }
  for (const auto& feed : gated_feeds_) {
    visit(*feed);
  }
  MutexLock lock(mutex_);
  for (const auto& [name_space, watched] : watched_) {
    watched->visit_feeds(visit);
  }
}

std::vector<WatchReport> Watches::reports() const {
  std::vector<WatchReport> reports;
  visit_feeds([&](const Feed& feed) { reports.push_back(feed.report()); });
  return reports;
}

void Watches::update_tls(const http::ClientTlsOptions& tls) {
  visit_feeds([&](Feed& feed) { feed.update_tls(tls); });
}

}  // namespace scaledcache::controller
