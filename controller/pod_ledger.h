// Remembers the pods of one target for as long as their samples can still be in an answer: a pod
// that left a second ago has served part of the window, and a pod that is un-ready now may have
// been ready in it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "core/observation.h"
#include "k8s/pod.h"

namespace scaledcache::controller {

// A pod that became ready for the first time, and how long that took from its first sight.
struct NewlyReady {
  std::string uid;
  Milliseconds took{0};

  bool operator==(const NewlyReady&) const = default;
};

// Not thread safe: one per ScaledCache, used by whoever holds its key.
class PodLedger {
 public:
  // The pods that belong to the target now, and those that did within `keep` before `now`.
  [[nodiscard]] std::vector<core::PodFacts> update(const std::vector<k8s::Pod>& owned,
                                                   WallTime now,
                                                   Milliseconds keep);

  // Since when each pod is there that has never been ready, by UID, as of the last update.
  [[nodiscard]] std::map<std::string, WallTime> starting_since() const;

  // The pods that became ready for the first time in the last update; pods that were ready at first
  // sight do not tell.
  [[nodiscard]] const std::vector<NewlyReady>& newly_ready() const { return newly_ready_; }

 private:
  struct Entry {
    core::PodFacts facts;
    WallTime first_seen;
    WallTime last_seen;
  };

  void note_first_readiness(const std::string& uid, const Entry& entry, bool was_ready_before);

  std::map<std::string, Entry> entries_;  // by UID
  std::vector<NewlyReady> newly_ready_;
};

}  // namespace scaledcache::controller
