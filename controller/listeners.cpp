#include "controller/listeners.h"

#include <charconv>
#include <chrono>
#include <utility>

#include "controller/health.h"
#include "controller/version.h"
#include "controller/webhook_certificates.h"

namespace scaledcache::controller {
namespace {

http::Response answer(const std::optional<std::string>& problem) {
  return {problem ? 503 : 200,
          {{"Content-Type", "text/plain; charset=utf-8"}},
          problem.value_or("ok") + "\n"};
}

// "HOST:PORT", as validate() has let it through.
http::ServerOptions listen_at(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  http::ServerOptions options;
  options.address = address.substr(0, colon);
  (void)std::from_chars(address.data() + colon + 1, address.data() + address.size(), options.port);
  return options;
}

}  // namespace

Listeners::Listeners(const Parts& parts, const Setup& setup)
    : parts_(parts),
      setup_(setup),
      gate_index_(parts.intake.watches),
      page_book_(setup.options.page.enabled() ? std::make_unique<PageBook>() : nullptr) {}

Result<void> Listeners::start() {
  add_gauges();
  if (auto webhook = serve_webhook(); !webhook) {
    return webhook;
  }
  if (auto page = serve_page(); !page) {
    return page;
  }
  return serve_metrics_and_health();  // last: its answers tell of the webhook
}

void Listeners::add_gauges() {
  Metrics& metrics = parts_.metrics;
  metrics.add_gauge("scaledcache_queue_depth", "Keys that wait for a worker.", "", "",
                    [this] { return static_cast<double>(parts_.intake.queue.depth()); });
  metrics.add_gauge("scaledcache_watch_age_seconds",
                    "Time since the watch with the oldest news had any.", "", "", [this] {
                      const auto age = parts_.intake.watch_age(parts_.clock.steady());
                      return std::chrono::duration<double>(age).count();
                    });
  metrics.add_gauge("scaledcache_leader", "1 where this process decides, 0 where it stands by.", "",
                    "", [this] { return parts_.api.leads() ? 1.0 : 0.0; });
}

IdentitySource Listeners::certificate_source() const {
  const WebhookOptions& options = setup_.options.webhook;
  if (!options.certificate_directory.empty()) {
    return certificate_files(options.certificate_directory);
  }
  return certificate_secret(
      {parts_.api.client, parts_.clock, parts_.log, [&api = parts_.api] { return api.leads(); }},
      {options.secret, options.configuration, {setup_.cluster.name_space, options.service}});
}

Result<void> Listeners::serve_webhook() {
  const WebhookOptions& options = setup_.options.webhook;
  if (!options.enabled()) {
    return {};
  }
  auto webhook = WebhookServer::start({gate_index_, parts_.clock, parts_.log,
                                       [&metrics = parts_.metrics](AdmissionOutcome outcome) {
                                         metrics.count_admission(name_of(outcome));
                                       }},
                                      options.address, certificate_source());
  if (!webhook) {
    return webhook.error();
  }
  webhook_ = std::move(*webhook);
  Fields fields;
  fields["port"] = webhook_->port();
  parts_.log.info("the webhook listens", fields);
  parts_.metrics.add_gauge(
      "scaledcache_webhook_certificate_expiry_timestamp_seconds",
      "When the certificate that the webhook shows expires; 0 while there is none.", "", "",
      [this] {
        const auto expires = webhook_->expires().value_or(WallTime{});
        return std::chrono::duration<double>(expires.time_since_epoch()).count();
      });
  return {};
}

Result<void> Listeners::serve_page() {
  const PageOptions& options = setup_.options.page;
  if (page_book_ == nullptr) {
    return {};
  }
  auto page = PageServer::start(
      {*page_book_, parts_.clock, parts_.log, std::string(kVersion),
       instance_name(setup_.environment), [&api = parts_.api] { return api.leads(); }},
      options);
  if (!page) {
    return page.error();
  }
  page_ = std::move(*page);
  Fields fields;
  fields["port"] = page_->port();
  fields["token"] = !options.token_file.empty();
  parts_.log.info("the status page is served", fields);
  return {};
}

Result<void> Listeners::serve_metrics_and_health() {
  const http::ServerOptions options = listen_at(setup_.options.listen_address);
  const auto scrape = [&metrics = parts_.metrics](const http::ServerRequest&) {
    return http::Response{
        200, {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}}, metrics.scrape()};
  };
  const auto live = [this](const http::ServerRequest&) { return answer(unalive()); };
  const auto ready = [this](const http::ServerRequest&) { return answer(unready()); };
  auto server = http::HttpServer::start(options, {{"/metrics", http::Method::Get, scrape},
                                                  {"/healthz", http::Method::Get, live},
                                                  {"/readyz", http::Method::Get, ready}});
  if (!server) {
    return server.error();
  }
  http_ = std::move(*server);
  Fields fields;
  fields["address"] = options.address + ":" + std::to_string(http_->port());
  fields["version"] = kVersion;
  fields["cluster"] = setup_.cluster.origin;
  parts_.log.info("serving", fields);
  return {};
}

std::optional<std::string> Listeners::unalive() const {
  return judge_liveness({parts_.intake.watches.reports(), parts_.intake.oldest_in_flight(),
                         parts_.clock.steady(), parts_.api.lease_silence()});
}

// A standby is ready too: it answers the webhook.
std::optional<std::string> Listeners::unready() const {
  const auto problem = judge_readiness(parts_.intake.watches.cache_reports());
  return problem || !webhook_ ? problem : webhook_->problem();
}

}  // namespace scaledcache::controller
