// Makes a decision true: the scale patch first, then status, then events. Each write carries a
// precondition, so that applying it twice changes nothing.
#pragma once

#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/result.h"
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
    k8s::KubeClient& client;
    Clock& clock;
    Metrics& metrics;
    const Log& log;
    std::string instance;  // names this process in events
  };

  explicit Actuator(Parts parts) : parts_(std::move(parts)) {}

  // Writes the count unless it stands or this is a dry run, and remembers the decision's history
  // once that is done; then the status, if it is worth a write. Conflict: the count or the target
  // is not what the decision was made from.
  [[nodiscard]] Result<void> apply(const Look& look, Memory& memory, const std::stop_token& stop);

  // Writes `next` over what memory holds, if it is worth a write, and tells the transitions as
  // events. `scaled`: the count was written just before.
  [[nodiscard]] Result<void> write_status(const k8s::ScaledCache& cache,
                                          Memory& memory,
                                          k8s::Status next,
                                          bool scaled,
                                          const std::stop_token& stop);

 private:
  void note_unwritten(const k8s::ScaledCache& cache,
                      const std::string& what,
                      const Error& error) const;
  Result<bool> write_scale(const Look& look, Memory& memory, const std::stop_token& stop);
  void emit(const k8s::ScaledCache& cache,
            const std::vector<k8s::Event>& events,
            const std::stop_token& stop);

  const Parts parts_;
};

}  // namespace scaledcache::controller
