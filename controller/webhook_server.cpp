#include "controller/webhook_server.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/rfc3339.h"
#include "http/ascii.h"
#include "runtime/thread_name.h"

namespace scaledcache::controller {
namespace {

constexpr Milliseconds kRefreshPeriod{10'000};
// Any pod of the cluster may fill all of it: together 32 MiB at most.
constexpr std::size_t kMaxReviewBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxConnections = 32;
// Longer than the API server keeps an idle connection, so that it is never our side that closes one
// while a review is on its way.
constexpr std::chrono::milliseconds kIdleTimeout{120'000};

bool is_json(const http::ServerRequest& request) {
  constexpr std::string_view kWanted = "application/json";
  const std::string_view type = http::find_header(request.headers, "Content-Type");
  return http::equal_ignoring_case(type.substr(0, std::min(type.find(';'), type.size())), kWanted);
}

http::ServerOptions server_options(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  http::ServerOptions options;
  options.address = address.substr(0, colon);
  (void)std::from_chars(address.data() + colon + 1, address.data() + address.size(), options.port);
  options.max_body_bytes = kMaxReviewBytes;
  options.idle_timeout = kIdleTimeout;
  options.max_connections = kMaxConnections;
  options.tls = true;
  return options;
}

}  // namespace

http::Response answer_review(const WebhookParts& parts, const http::ServerRequest& request) {
  Admission admission = is_json(request)
                            ? admit(request.body, parts.targets)
                            : refuse_review("the content type is not application/json");
  parts.on_admission(admission.outcome);
  return {200, {{"Content-Type", "application/json"}}, std::move(admission.body)};
}

WebhookServer::WebhookServer(WebhookParts parts, IdentitySource source)
    : parts_(std::move(parts)), source_(std::move(source)) {}

Result<std::unique_ptr<WebhookServer>> WebhookServer::start(WebhookParts parts,
                                                            const std::string& address,
                                                            IdentitySource source) {
  std::unique_ptr<WebhookServer> webhook(new WebhookServer(std::move(parts), std::move(source)));
  WebhookServer& self = *webhook;
  auto server = http::HttpServer::start(
      server_options(address),
      {{"/inject", http::Method::Post, [&self](const http::ServerRequest& request) {
          return answer_review(self.parts_, request);
        }}});
  if (!server) {
    return server.error();
  }
  self.server_ = std::move(*server);
  self.thread_ = std::jthread([&self](const std::stop_token& stop) {
    set_thread_name("sc-webhook");
    self.keep_fresh(stop);
  });
  return webhook;
}

void WebhookServer::keep_fresh(const std::stop_token& stop) {
  do {
    refresh(stop);
  } while (parts_.clock.wait_for(kRefreshPeriod, stop));
}

void WebhookServer::refresh(const std::stop_token& stop) {
  const auto identity = source_(stop);
  if (!identity) {
    note_failure(identity.error());
    return;
  }
  {
    MutexLock lock(mutex_);
    failure_.clear();
  }
  if (*identity && **identity != shown_) {
    show(**identity);
  }
}

void WebhookServer::show(const http::PemIdentity& identity) {
  const auto dates = http::dates_of(identity.certificate_pem);
  const auto used = server_->use_identity(identity);
  if (!used || !dates) {
    note_failure(used ? dates.error() : used.error());
    return;
  }
  shown_ = identity;
  Fields fields;
  fields["expires"] = format_time(dates->not_after);
  parts_.log.info("webhook: shows a new certificate", fields);
  MutexLock lock(mutex_);
  expires_ = dates->not_after;
}

// A failure that lasts is told once.
void WebhookServer::note_failure(const Error& error) {
  {
    MutexLock lock(mutex_);
    if (error.code == ErrorCode::Cancelled ||
        std::exchange(failure_, error.message) == error.message) {
      return;
    }
  }
  Fields fields;
  fields["code"] = scaledcache::name_of(error.code);
  fields["error"] = error.message;
  parts_.log.warn("webhook: the certificate cannot be refreshed, trying again", fields);
}

std::optional<std::string> WebhookServer::problem() const {
  MutexLock lock(mutex_);
  if (expires_) {
    return std::nullopt;
  }
  return "the webhook has no certificate yet" + (failure_.empty() ? "" : ": " + failure_);
}

std::optional<WallTime> WebhookServer::expires() const {
  MutexLock lock(mutex_);
  return expires_;
}

}  // namespace scaledcache::controller
