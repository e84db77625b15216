// What the operator knows of the pods behind the gate beyond what the cluster shows. Kept in memory
// alone: what a restart needs stands in each pod's condition.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "cache/probe.h"
#include "cache/warmup.h"
#include "controller/own_traffic.h"
#include "core/warmth.h"
#include "k8s/pod.h"

namespace scaledcache::controller {

// Our newest write of a pod's condition, until the watch shows it.
struct OwnGateWrite {
  std::string resource_version;  // of the pod, after the write
  k8s::GateState gate;
};

// How old a page was when it was last seen in the cache.
struct PageSeen {
  SteadyTime at;
  Milliseconds age{0};
};

struct GateRecord {
  std::string uid;                          // of the pod; another one of the same name starts anew
  std::string pod;                          // its name
  std::optional<SteadyTime> unknown_since;  // who manages it could not be found out since then
  std::string cache;                        // key of the ScaledCache that owns it; "": none
  std::string identity;                     // of its containers, as last seen
  core::WarmthState state = core::WarmthState::Cold;
  core::WarmthReason reason = core::WarmthReason::ContainersNotReady;
  std::string message;
  bool lacks_label = false;
  bool waits = false;  // for a place among those that are warmed
  std::optional<WallTime> cold_since;
  std::optional<SteadyTime> cold_at;  // the same: by it the wait is measured
  std::optional<WallTime> warm_since;
  std::optional<core::WarmupFacts> warmup;        // the last one that ended
  std::optional<cache::WarmupProgress> progress;  // of the one that runs
  std::vector<cache::ProvedUrl> proved;           // to probe with
  std::map<std::string, PageSeen> seen;           // by path: what the last probe of it showed
  std::size_t next_probe = 0;
  std::optional<SteadyTime> probed;
  std::optional<SteadyTime> answered;  // the newest probe that told something
  int misses_in_a_row = 0;
  int slow_probes = 0;                    // in a row
  std::optional<WallTime> cache_started;  // not before this, as its counters tell
  std::optional<OwnGateWrite> written;
};

// Thread safe. Whoever holds a pod's key in the gate's queue writes its record; the others read.
class GateBook {
 public:
  // `wake(key)` asks for a look at a pod; called on any thread, without a lock.
  explicit GateBook(std::function<void(const std::string& key)> wake) : wake_(std::move(wake)) {}

  // The record of the pod with that UID, a new one where there is none.
  [[nodiscard]] GateRecord record(const std::string& key, const std::string& uid) EXCLUDES(mutex_);

  // Changes the record of that pod; does nothing when it is another pod's by now. `change` runs
  // under the lock.
  void edit(const std::string& key,
            const std::string& uid,
            const std::function<void(GateRecord& record)>& change) EXCLUDES(mutex_);

  void forget(const std::string& key) EXCLUDES(mutex_);

  // The pods of one ScaledCache, by UID, without what they are probed with.
  [[nodiscard]] std::map<std::string, GateRecord> pods_of(const std::string& cache) const
      EXCLUDES(mutex_);

  // How many pods are Warm, of all ScaledCaches.
  [[nodiscard]] std::size_t warm_pods() const EXCLUDES(mutex_);

  // Of `serving` (UIDs), those whose gate we are not closing.
  [[nodiscard]] int count_open(const std::vector<std::string>& serving) const EXCLUDES(mutex_);

  // Claims that the gate of `uid` may be closed: true unless none of the `others` that serve is
  // left open. Two pods that turn cold at once cannot both be closed where they are the last.
  [[nodiscard]] bool claim_closing(const std::string& uid, const std::vector<std::string>& others)
      EXCLUDES(mutex_);
  void release_closing(const std::string& uid) EXCLUDES(mutex_);

  // The same for whoever drains: one claim does not end the other, and one that stands is granted
  // again. It ends when the pod serves again or is gone.
  [[nodiscard]] bool claim_draining(const std::string& uid, const std::vector<std::string>& others)
      EXCLUDES(mutex_);
  void release_draining(const std::string& uid) EXCLUDES(mutex_);

  // A look at the ScaledCache found that it refuses work: one of its waiting pods may open.
  void note_load(const std::string& cache, bool overloaded) EXCLUDES(mutex_);
  [[nodiscard]] bool overloaded(const std::string& cache) const EXCLUDES(mutex_);
  void spend_panic(const std::string& cache) EXCLUDES(mutex_);

  // Times before which cache processes cannot have started, by pod name, as their metrics tell.
  void note_starts(const std::string& cache, const std::map<std::string, WallTime>& started)
      EXCLUDES(mutex_);

  // Asks for a look at each pod of the ScaledCache that is not warm.
  void wake_waiting(const std::string& cache) EXCLUDES(mutex_);

  // Forgets what is known of the ScaledCache itself.
  void forget_cache(const std::string& cache) EXCLUDES(mutex_);

  // What the gate itself sends to the pods.
  [[nodiscard]] OwnTraffic& own_traffic() { return own_traffic_; }

 private:
  [[nodiscard]] bool is_claimed(const std::string& uid) const REQUIRES(mutex_);
  [[nodiscard]] bool one_stays(const std::vector<std::string>& others) const REQUIRES(mutex_);

  const std::function<void(const std::string&)> wake_;
  OwnTraffic own_traffic_;
  mutable Mutex mutex_;
  std::map<std::string, GateRecord> records_ GUARDED_BY(mutex_);  // by key of the pod
  std::set<std::string> closing_ GUARDED_BY(mutex_);              // UIDs
  std::set<std::string> draining_ GUARDED_BY(mutex_);             // UIDs
  std::set<std::string> overloaded_ GUARDED_BY(mutex_);           // keys of ScaledCaches
};

}  // namespace scaledcache::controller
