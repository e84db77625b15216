// The object graph of a running operator: everything that lives as long as the process, made in
// one place, stopped in reverse order.
#pragma once

#include "base/clock.h"
#include "controller/log.h"
#include "controller/options.h"
#include "k8s/kubeconfig.h"
#include "runtime/signals.h"

namespace scaledcache::controller {

// Runs until SIGTERM or SIGINT; returns the exit code. Called on the main thread, before any other
// thread exists.
[[nodiscard]] int run_app(const Options& options,
                          const k8s::ClusterConfig& cluster,
                          const Environment& environment,
                          TerminationSignals& signals);

}  // namespace scaledcache::controller
