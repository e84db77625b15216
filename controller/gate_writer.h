// Writes the gate's condition, and tells people about it.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "base/result.h"
#include "controller/gate_book.h"
#include "controller/gate_facts.h"
#include "controller/log.h"
#include "controller/metrics.h"
#include "core/warmth.h"
#include "k8s/gate.h"
#include "k8s/kube_client.h"

namespace scaledcache::controller {

// Thread safe.
class GateWriter {
 public:
  struct Parts {
    k8s::KubeClient& client;
    Metrics& metrics;
    const Log& log;
    std::string instance;  // names this process in events
  };

  explicit GateWriter(Parts parts) : parts_(std::move(parts)) {}

  // Patches the condition where it does not say that yet; then gives what was written. Errors are
  // those of KubeClient, counted and logged.
  [[nodiscard]] Result<std::optional<OwnGateWrite>> write(const GateSight& sight,
                                                          const k8s::GateWrite& wanted,
                                                          const std::stop_token& stop);

  // The log and an event say what changed for visitors: a gate that opened, or one that closed.
  // An event that cannot be posted is lost.
  void tell(const GateSight& sight,
            const core::WarmthVerdict& verdict,
            const std::stop_token& stop);

 private:
  void note_failure(const GateSight& sight, const Error& error);

  const Parts parts_;
};

}  // namespace scaledcache::controller
