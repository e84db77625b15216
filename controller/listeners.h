// Everything that others may ask this process: the webhook (the API server), the status page
// (people), metrics (Prometheus) and health (the kubelet). Each answers on a thread of its own.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "controller/api_door.h"
#include "controller/gate_index.h"
#include "controller/intake.h"
#include "controller/log.h"
#include "controller/metrics.h"
#include "controller/page_book.h"
#include "controller/page_server.h"
#include "controller/setup.h"
#include "controller/webhook_server.h"
#include "http/server.h"

namespace scaledcache::controller {

// Serves from start() to destruction. The functions are the owner's.
class Listeners {
 public:
  // All references outlive the listeners.
  struct Parts {
    ApiDoor& api;
    const Intake& intake;
    Clock& clock;
    Metrics& metrics;
    const Log& log;
  };

  Listeners(const Parts& parts, const Setup& setup);

  // Listens when it returns. Errors are those of HttpServer::start and PageServer::start.
  Result<void> start();

  // What the page shows is written there; nullptr: there is no status page.
  [[nodiscard]] PageBook* page_book() const { return page_book_.get(); }

 private:
  void add_gauges();
  Result<void> serve_webhook();
  Result<void> serve_page();
  Result<void> serve_metrics_and_health();
  [[nodiscard]] IdentitySource certificate_source() const;
  [[nodiscard]] std::optional<std::string> unalive() const;
  [[nodiscard]] std::optional<std::string> unready() const;

  const Parts parts_;
  const Setup setup_;
  const GateIndex gate_index_;
  const std::unique_ptr<PageBook> page_book_;
  std::unique_ptr<WebhookServer> webhook_;  // nullptr: there is none
  std::unique_ptr<PageServer> page_;        // likewise
  std::unique_ptr<http::HttpServer> http_;
};

}  // namespace scaledcache::controller
