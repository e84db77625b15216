// One look at one ScaledCache: gather, decide, act. The walk of docs/architecture.md starts here.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "controller/actuator.h"
#include "controller/gate_book.h"
#include "controller/log.h"
#include "controller/memory.h"
#include "controller/metrics.h"
#include "controller/observer.h"
#include "controller/page_book.h"
#include "controller/restorer.h"
#include "controller/watches.h"

namespace scaledcache::controller {

// Thread safe; one key is never in two hands at once (the queue sees to that).
class Reconciler {
 public:
  struct Parts {
    ClusterView& cluster;
    Observer& observer;
    Actuator& actuator;
    Clock& clock;
    Metrics& metrics;
    const Log& log;
    GateBook* gates = nullptr;     // hears whether a fleet is overloaded; nullptr: nobody asks
    Restorer* restorer = nullptr;  // nullptr: restoreReplicasOnDelete has no effect
    PageBook* page = nullptr;      // hears of each look; nullptr: there is no status page
  };

  explicit Reconciler(Parts parts) : parts_(parts) {}

  // Returns when to look again; nothing when the resource is gone. Logs each failure, once.
  [[nodiscard]] std::optional<Milliseconds> reconcile(const std::string& key,
                                                      const std::stop_token& stop);

 private:
  Result<Milliseconds> look_at(const k8s::ScaledCache& cache,
                               Memory& memory,
                               const std::stop_token& stop);
  std::optional<Milliseconds> let_go(const k8s::ScaledCache& cache,
                                     Memory& memory,
                                     const std::stop_token& stop);
  void hold(const k8s::ScaledCache& cache, const std::stop_token& stop) const;
  void watch_dip(const Look& look, Memory& memory, const std::stop_token& stop);
  void tell_gate(const std::string& key, const Look& look) const;
  void log_decision(const std::string& key, const Look& look, Memory& memory) const;
  void show_failure(const k8s::ScaledCache& cache, const Memory& memory, const Error& error) const;
  Milliseconds give_up(const k8s::ScaledCache& cache, Memory& memory, const Error& error);
  void say_why(const k8s::ScaledCache& cache,
               Memory& memory,
               const Error& error,
               const std::stop_token& stop);

  const Parts parts_;
  Memories memories_;
};

}  // namespace scaledcache::controller
