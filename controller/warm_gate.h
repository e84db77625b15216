// The second walk: from a pod that changed to the one condition that keeps it out of the Service
// until its cache is warm. Gather (SceneFinder, GateBook), judge (core::judge_warmth), act
// (GateWriter, WarmupRunner, Prober).
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "controller/drain.h"
#include "controller/gate_book.h"
#include "controller/gate_facts.h"
#include "controller/gate_scene.h"
#include "controller/gate_writer.h"
#include "controller/log.h"
#include "controller/metrics.h"
#include "controller/own_traffic.h"
#include "controller/prober.h"
#include "controller/warm_source.h"
#include "controller/warmup_runner.h"
#include "core/warmth.h"
#include "http/address.h"
#include "http/transport.h"
#include "k8s/kube_client.h"
#include "runtime/work_queue.h"
#include "runtime/worker_pool.h"

namespace scaledcache::controller {

// Thread safe.
class WarmGate {
 public:
  struct Parts {
    ClusterView& cluster;
    const GatedPods& pods;
    TargetFinder& targets;
    WorkQueue& queue;  // of keys "namespace/pod"
    GateBook& book;
    k8s::KubeClient& client;
    http::HttpTransport& transport;  // to pods
    Clock& clock;
    Metrics& metrics;
    const Log& log;
  };

  struct Settings {
    http::AddressPolicy addresses;
    double requests_per_second = 100;  // of all warm-ups together
    std::string instance;              // names this process in events
  };

  WarmGate(Parts parts, Settings settings);
  WarmGate(const WarmGate&) = delete;
  WarmGate& operator=(const WarmGate&) = delete;

  // Starts the threads.
  void start();

  // One look; returns when to look again, nothing when only a change calls for it. A key is never
  // in two hands at once.
  [[nodiscard]] std::optional<Milliseconds> look(const std::string& key,
                                                 const std::stop_token& stop);

 private:
  [[nodiscard]] bool out_of_patience(const std::string& key, const k8s::Pod& pod);
  [[nodiscard]] GateSight see(const std::string& key,
                              const k8s::Pod& pod,
                              GateScene scene,
                              GateRecord& record) const;
  [[nodiscard]] core::WarmthVerdict judge(const GateSight& sight, const GateRecord& record);
  [[nodiscard]] bool warm(const GateSight& sight,
                          GateRecord& record,
                          const core::WarmthVerdict& verdict);
  [[nodiscard]] bool move_gate(const GateSight& sight,
                               GateRecord& record,
                               const core::WarmthVerdict& verdict,
                               const std::stop_token& stop);
  void probe(const GateSight& sight, GateRecord& record, const std::stop_token& stop);
  void keep(const GateSight& sight, const GateRecord& record, bool cold_again);
  void note_end(const WarmJob& job, const cache::WarmupReport& report);

  const Parts parts_;
  const Settings settings_;
  SceneFinder scenes_;
  GateWriter writer_;
  Drainer drainer_;
  WarmSource source_;
  CountedTransport transport_;  // to pods
  Prober prober_;
  std::atomic<int> probing_{0};
  WarmupRunner runner_;
  std::unique_ptr<WorkerPool> pool_;  // last: its threads use all of the above
};

}  // namespace scaledcache::controller
