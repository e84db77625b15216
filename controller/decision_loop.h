// The first walk: what gathers, decides and acts, and the workers that keep it going.
#pragma once

#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "controller/actuator.h"
#include "controller/api_door.h"
#include "controller/backend_access.h"
#include "controller/intake.h"
#include "controller/log.h"
#include "controller/metrics.h"
#include "controller/named_backends.h"
#include "controller/observer.h"
#include "controller/page_book.h"
#include "controller/phases.h"
#include "controller/reconciler.h"
#include "controller/restorer.h"
#include "controller/setup.h"
#include "controller/signal_reader.h"
#include "http/transport.h"
#include "prom/backend_client.h"
#include "runtime/worker_pool.h"

namespace scaledcache::controller {

// Decides and writes from start() to destruction.
class DecisionLoop {
 public:
  // All references outlive the loop.
  struct Parts {
    ApiDoor& api;
    Intake& intake;
    http::HttpTransport& backends;
    const NamedBackends& named;
    PageBook* page;  // nullptr: there is no status page
    Clock& clock;
    Metrics& metrics;
    const Log& log;
  };

  DecisionLoop(const Parts& parts, const Setup& setup);

  void start(std::size_t threads);

 private:
  void work(const std::string& key, const std::stop_token& stop);
  void recover(const std::string& key, std::string_view what);

  const Parts parts_;
  prom::BackendClient backend_;
  BackendAccess access_;
  SignalReader signals_;
  Observer observer_;
  Actuator actuator_;
  Restorer restorer_;
  Reconciler reconciler_;
  Phases phases_;
  std::unique_ptr<WorkerPool> workers_;  // last: its threads use all of the above
};

}  // namespace scaledcache::controller
