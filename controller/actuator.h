// Makes a decision true: the scale patch first, then status, then events. Each write carries a
// precondition, so that applying it twice changes nothing.
#pragma once

#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "controller/drain.h"
#include "controller/log.h"
#include "controller/look.h"
#include "controller/memory.h"
#include "controller/metrics.h"
#include "k8s/event.h"
#include "k8s/kube_client.h"

namespace scaledcache::controller {

// Thread safe as far as each memory is in one hand.
class Actuator {
 public:
  struct Parts {
    ClusterView& cluster;
    k8s::KubeClient& client;
    Clock& clock;
    Metrics& metrics;
    const Log& log;
    std::string instance;       // names this process in events
    GateBook* gates = nullptr;  // as Drainer's
  };

  explicit Actuator(Parts parts)
      : parts_(std::move(parts)),
        drainer_({parts_.cluster, parts_.client, parts_.clock, parts_.metrics, parts_.log,
                  parts_.gates}) {}

  // Writes the count unless it stands or this is a dry run, and remembers the decision's history
  // once that is done; then the status, if it is worth a write. Conflict: the count or the target
  // is not what the decision was made from.
  // Where pods are drained, a count to shrink to is a goal: see docs/drain.md.
  [[nodiscard]] Result<void> apply(const Look& look, Memory& memory, const std::stop_token& stop);

  // Undoes every drain of a ScaledCache that is gone or cannot be obeyed.
  [[nodiscard]] Result<void> release_drains(const std::string& name_space,
                                            const std::string& cache,
                                            const std::stop_token& stop);

  // Writes `next` over what memory holds, if it is worth a write, and tells the transitions as
  // events. `scaled`: the count was written just before.
  [[nodiscard]] Result<void> write_status(const k8s::ScaledCache& cache,
                                          Memory& memory,
                                          k8s::Status next,
                                          bool scaled,
                                          const std::stop_token& stop);

  // Writes events; one that cannot be written is lost, and nothing waits for it.
  void tell(const k8s::ScaledCache& cache,
            const std::vector<k8s::Event>& events,
            const std::stop_token& stop);

 private:
  void note_unwritten(const k8s::ScaledCache& cache,
                      const std::string& what,
                      const Error& error) const;
  Result<void> apply_plainly(const Look& look, Memory& memory, const std::stop_token& stop);
  Result<void> apply_draining(const Look& look, Memory& memory, const std::stop_token& stop);
  [[nodiscard]] core::DrainPlan plan_drains(const Look& look,
                                            const Memory& memory,
                                            const std::stop_token& stop);
  Result<void> prepare_drains(const Look& look,
                              const core::DrainPlan& plan,
                              Memory& memory,
                              const std::stop_token& stop);
  void note_drains(const Look& look, const core::DrainPlan& plan, Memory& memory) const;
  void report(
      const Look& look, Memory& memory, k8s::Status next, bool scaled, const std::stop_token& stop);
  Result<bool> write_scale(const Look& look,
                           int count,
                           Memory& memory,
                           const std::stop_token& stop);

  const Parts parts_;
  Drainer drainer_;
};

}  // namespace scaledcache::controller
