// Gathers what one decision needs: the target from the stores, a reading per signal from its
// backend. Judges nothing.
#pragma once

#include <stop_token>

#include "base/clock.h"
#include "base/result.h"
#include "controller/gate_book.h"
#include "controller/look.h"
#include "controller/memory.h"
#include "controller/signal_reader.h"
#include "controller/target.h"
#include "controller/watches.h"

namespace scaledcache::controller {

// Thread safe as far as each memory is in one hand.
class Observer {
 public:
  struct Parts {
    ClusterView& cluster;
    TargetFinder& targets;
    SignalReader& signals;
    Clock& clock;
    int max_replicas_limit;     // flag: no target grows beyond it
    GateBook* gates = nullptr;  // what is known of pods behind the gate; nullptr: nothing
  };

  explicit Observer(Parts parts) : parts_(parts) {}

  // Errors are those of finding the target; a backend that fails is a reading that says so. `cache`
  // has no problems; `memory` has a history.
  [[nodiscard]] Result<Gathered> observe(const k8s::ScaledCache& cache,
                                         Memory& memory,
                                         const std::stop_token& stop);

  // What the fleet shows of its hits and its origin now.
  [[nodiscard]] core::FleetReading read_fleet(const k8s::ScaledCache& cache,
                                              const core::Policy& policy,
                                              const core::History& history,
                                              const std::stop_token& stop);

 private:
  const Parts parts_;
};

}  // namespace scaledcache::controller
