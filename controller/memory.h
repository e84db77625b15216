// What the operator remembers about one ScaledCache between two looks. Everything that a restart
// must not lose is in its status as well.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "controller/pod_ledger.h"
#include "core/guards.h"
#include "core/history.h"
#include "core/reason.h"
#include "core/scaling_effect.h"
#include "k8s/status.h"

namespace scaledcache::controller {

// Our newest write to a target's scale, until the watch shows it.
struct OwnScaleWrite {
  std::string uid;
  std::string resource_version;  // of the target, after the write
  int replicas = 0;
  WallTime time;
};

// Not thread safe: whoever holds the key holds its memory.
struct Memory {
  std::string uid;  // of the ScaledCache; another one of the same name starts anew
  std::optional<core::History> history;
  PodLedger pods;
  PodLedger baseline;
  std::optional<OwnScaleWrite> own_scale_write;
  std::optional<k8s::Status> status;  // as we last wrote it or first saw it
  std::string status_version;         // resource version of the ScaledCache after that write
  std::optional<SteadyTime> status_written;
  std::map<std::string, std::string> drain_marks;  // ours, by UID of the pod
  std::optional<int> drain_toward;                 // where a step of several batches leads
  std::vector<std::string> fleet_at_lowering;      // names of the pods that lived then
  std::optional<core::Dip> dip;                    // of the newest change of the count
  core::EffectRecord effect;                       // what the last growths have come to
  std::optional<Milliseconds> look_again;          // sooner than the decision says
  std::string logged_reason;                       // the last line in the log was about this
  std::string unwritten;  // why the last status was not written; "" when it was
  int failures = 0;       // in a row
};

// Thread safe.
class Memories {
 public:
  // The memory of `key`, empty at first. Stays valid while the caller holds the pointer.
  [[nodiscard]] std::shared_ptr<Memory> of(const std::string& key) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    auto& memory = memories_[key];
    if (!memory) {
      memory = std::make_shared<Memory>();
    }
    return memory;
  }

  void forget(const std::string& key) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    memories_.erase(key);
  }

 private:
  Mutex mutex_;
  std::map<std::string, std::shared_ptr<Memory>> memories_ GUARDED_BY(mutex_);
};

}  // namespace scaledcache::controller
