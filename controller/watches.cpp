#include "controller/watches.h"

#include "k8s/paths.h"
#include "k8s/store_sink.h"

namespace scaledcache::controller {
namespace {

using k8s::Change;
using k8s::ScaledCache;
using k8s::StoreSink;
using k8s::Workload;

const k8s::ResourceType kStatefulSets{"apps", "v1", "statefulsets"};
const k8s::ResourceType kReplicaSets{"apps", "v1", "replicasets"};

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

}  // namespace

// A view and the feeds that fill it; the feeds end first.
struct Watches::WatchedNamespace {
  NamespaceView view;
  std::vector<std::unique_ptr<Feed>> feeds;

  ~WatchedNamespace() {
    for (const auto& feed : feeds) {
      feed->request_stop();
    }
  }
};

Watches::Watches(FeedParts parts,
                 const std::vector<std::string>& namespaces,
                 std::function<void(const std::string& key)> on_due)
    : parts_(std::move(parts)), on_due_(std::move(on_due)) {
  const std::vector<std::string> scopes =
      namespaces.empty() ? std::vector<std::string>{""} : namespaces;
  // All stores stand before the first watch runs: its callbacks read every one of them.
  cache_stores_.resize(scopes.size());
  for (auto& store : cache_stores_) {
    store = std::make_unique<k8s::Store<ScaledCache>>();
  }
  for (std::size_t i = 0; i < scopes.size(); ++i) {
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
}

void Watches::on_cache_change(const Change<ScaledCache>& change) const {
  if (is_edit(change)) {
    on_due_(change.key());
  }
}

void Watches::on_workload_change(const Change<Workload>& change) const {
  if (!change.is_added() && !change.is_deleted()) {
    return;  // the next tick sees it; deciding more often than the poll interval is nobody's wish
  }
  const k8s::Envelope& workload = change.envelope();
  for (const auto& cache : caches_in(workload.name_space)) {
    if (cache->spec.target.name == workload.name) {
      on_due_(cache->meta.name_space + "/" + cache->meta.name);
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
      std::make_unique<StoreSink<k8s::Pod>>(watched->view.pods, k8s::decode_pod,
                                            [](const Change<k8s::Pod>&) {})));
  return {watched, &watched->view};
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
  std::vector<std::shared_ptr<WatchedNamespace>> unused;  // ended outside the lock
  MutexLock lock(mutex_);
  for (auto at = watched_.begin(); at != watched_.end();) {
    if (used.contains(at->first)) {
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
  MutexLock lock(mutex_);
  for (const auto& [name_space, watched] : watched_) {
    for (const auto& feed : watched->feeds) {
      reports.push_back(feed->report());
    }
  }
  return reports;
}

void Watches::update_tls(const http::ClientTlsOptions& tls) {
  for (const auto& feed : cache_feeds_) {
    feed->update_tls(tls);
  }
  MutexLock lock(mutex_);
  for (const auto& [name_space, watched] : watched_) {
    for (const auto& feed : watched->feeds) {
      feed->update_tls(tls);
    }
  }
}

}  // namespace scaledcache::controller
