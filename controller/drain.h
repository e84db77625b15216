// What draining does to pods: marks them, closes their gates, and undoes both. Which pods and when
// is core::plan_drain's; every write is guarded by the pod's UID and may be repeated.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "controller/gate_book.h"
#include "controller/log.h"
#include "controller/look.h"
#include "controller/memory.h"
#include "controller/metrics.h"
#include "controller/watches.h"
#include "core/drain.h"
#include "k8s/kube_client.h"
#include "k8s/pod.h"

namespace scaledcache::controller {

// Thread safe as far as each memory is in one hand.
class Drainer {
 public:
  struct Parts {
    ClusterView& cluster;
    k8s::KubeClient& client;
    Clock& clock;
    Metrics& metrics;
    const Log& log;
    GateBook* gates = nullptr;  // who else closes gates claims that here; nullptr: nobody does
  };

  explicit Drainer(Parts parts) : parts_(parts) {}

  // Marks the pod of each intent, then closes its gate, unless that is done already or no other pod
  // would be left to serve while any is wanted. A pod that is gone is no failure: the next look
  // finds out.
  [[nodiscard]] Result<void> drain(const Look& look,
                                   const std::vector<core::DrainIntent>& intents,
                                   Memory& memory,
                                   const std::stop_token& stop);

  // The pod is gone: it needs no claim any longer.
  void forget(const std::string& uid) const;

  // Opens the gate again where it was open before and the cache behind it is still the same, then
  // takes the mark off. All pods are tried; the first failure is returned.
  [[nodiscard]] Result<void> release(const std::vector<k8s::Pod>& pods,
                                     const std::stop_token& stop);

  // The pods of the namespace that carry the mark of this ScaledCache, or of one that does not
  // exist, and that are not in `intents`.
  [[nodiscard]] std::vector<k8s::Pod> strays(const std::string& name_space,
                                             const std::string& cache,
                                             const std::vector<k8s::DrainIntent>& intents) const;

 private:
  [[nodiscard]] Result<void> mark(const k8s::Pod& pod,
                                  const std::string& cache,
                                  bool with_cost,
                                  Memory& memory,
                                  const std::stop_token& stop);
  [[nodiscard]] bool may_close(const k8s::Pod& pod, const Look& look);
  [[nodiscard]] Result<void> close(const k8s::Pod& pod,
                                   const Look& look,
                                   const std::stop_token& stop);
  [[nodiscard]] Result<void> release_one(const k8s::Pod& pod, const std::stop_token& stop);
  [[nodiscard]] Result<void> send(const std::string& path,
                                  const k8s::Patch& patch,
                                  const std::stop_token& stop);

  const Parts parts_;
};

}  // namespace scaledcache::controller
