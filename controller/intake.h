// What waits for a look, and the watches that say so.
#pragma once

#include <atomic>
#include <optional>

#include "base/clock.h"
#include "controller/api_door.h"
#include "controller/gate_book.h"
#include "controller/log.h"
#include "controller/setup.h"
#include "controller/watches.h"
#include "runtime/work_queue.h"

namespace scaledcache::controller {

// Watches from construction to destruction. Thread safe.
struct Intake {
  Intake(const Setup& setup, const ApiDoor& api, Clock& clock, const Log& log);

  // Since when a look at a ScaledCache or at a pod has been going on, the longest of them; nothing
  // when there is none. A warm-up may take its time and is no look.
  [[nodiscard]] std::optional<Milliseconds> oldest_in_flight() const;

  // Since when the watch with the oldest news has had none; 0 when there are no news yet.
  [[nodiscard]] Milliseconds watch_age(SteadyTime now) const;

  // From now on what changes is queued, and everything that is there already. Before that the
  // queues are empty: a replica that stands by would only collect the names of what is gone.
  void lead();

  std::atomic<bool> leads{false};
  WorkQueue queue;       // keys of ScaledCaches
  WorkQueue gate_queue;  // keys of pods with our gate
  GateBook gates;
  Watches watches;  // last: its threads use all of the above
};

}  // namespace scaledcache::controller
