// The webhook's own listener: TLS, one route, and a thread that keeps its certificate fresh.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "controller/log.h"
#include "controller/webhook.h"
#include "controller/webhook_certificates.h"
#include "http/server.h"

namespace scaledcache::controller {

// All references outlive the server.
struct WebhookParts {
  const GatedTargets& targets;
  Clock& clock;
  const Log& log;
  std::function<void(AdmissionOutcome outcome)> on_admission;  // on the server's thread
};

// What POST /inject answers. Pure but for the count.
[[nodiscard]] http::Response answer_review(const WebhookParts& parts,
                                           const http::ServerRequest& request);

// Serves from construction to destruction. Thread safe.
class WebhookServer {
 public:
  // Listens when it returns, at "HOST:PORT". The certificate follows when `source` has one; until
  // then connections are closed. Errors are those of HttpServer::start.
  [[nodiscard]] static Result<std::unique_ptr<WebhookServer>> start(WebhookParts parts,
                                                                    const std::string& address,
                                                                    IdentitySource source);

  WebhookServer(const WebhookServer&) = delete;
  WebhookServer& operator=(const WebhookServer&) = delete;
  ~WebhookServer() = default;

  [[nodiscard]] std::uint16_t port() const { return server_->port(); }

  // Why it cannot answer yet, or nothing.
  [[nodiscard]] std::optional<std::string> problem() const EXCLUDES(mutex_);

  // When the certificate that it shows expires; nothing while there is none.
  [[nodiscard]] std::optional<WallTime> expires() const EXCLUDES(mutex_);

 private:
  WebhookServer(WebhookParts parts, IdentitySource source);

  void keep_fresh(const std::stop_token& stop);
  void refresh(const std::stop_token& stop);
  void show(const http::PemIdentity& identity);
  void note_failure(const Error& error) EXCLUDES(mutex_);

  const WebhookParts parts_;
  const IdentitySource source_;
  http::PemIdentity shown_;  // the thread's
  mutable Mutex mutex_;
  std::string failure_ GUARDED_BY(mutex_);
  std::optional<WallTime> expires_ GUARDED_BY(mutex_);
  std::unique_ptr<http::HttpServer> server_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace scaledcache::controller
