#include "controller/app.h"

#include <charconv>
#include <cstdio>
#include <random>
#include <set>
#include <thread>

#include <fmt/core.h>

#include "controller/actuator.h"
#include "controller/gate_index.h"
#include "controller/health.h"
#include "controller/leader.h"
#include "controller/metrics.h"
#include "controller/observer.h"
#include "controller/page_book.h"
#include "controller/page_server.h"
#include "controller/process_memory.h"
#include "controller/reconciler.h"
#include "controller/target.h"
#include "controller/version.h"
#include "controller/warm_gate.h"
#include "controller/watches.h"
#include "controller/webhook_server.h"
#include "http/cpprest_transport.h"
#include "http/curl_transport.h"
#include "http/server.h"
#include "http/url.h"
#include "k8s/credentials.h"
#include "k8s/discovery.h"
#include "k8s/kube_client.h"
#include "prom/backend_client.h"
#include "runtime/thread_name.h"
#include "runtime/work_queue.h"
#include "runtime/worker_pool.h"

namespace scaledcache::controller {
namespace {

constexpr Milliseconds kHousekeeping{30'000};
constexpr Milliseconds kAfterException{5'000};
constexpr Milliseconds kPodConnect{1'000};
constexpr std::size_t kIdleToPods = 16;

std::string value_of(const Environment& environment, std::string_view name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

// The API server's addresses and our own: a backend must not be one of them.
http::AddressPolicy address_policy(const Options& options,
                                   const k8s::ClusterConfig& cluster,
                                   const Environment& environment) {
  http::AddressPolicy policy;
  policy.allow_loopback = options.development;
  std::vector<std::string> denied{value_of(environment, "KUBERNETES_SERVICE_HOST"),
                                  value_of(environment, "POD_IP")};
  if (const auto url = http::parse_url(cluster.origin)) {
    denied.push_back(url->host);
  }
  for (const std::string& text : denied) {
    const auto address = http::parse_address(text);
    if (address &&
        http::AddressPolicy{}.judge(*address)) {  // what is refused anyway needs no entry
      policy.denied.push_back(*address);
    }
  }
  return policy;
}

QueryOptions query_options(const Options& options) {
  QueryOptions query;
  query.backend_url = options.backend_url;
  if (const auto matchers = k8s::parse_label_matchers(options.backend_matchers)) {
    for (const k8s::LabelMatcher& matcher : *matchers) {
      query.backend_matchers.push_back({matcher.label, matcher.op, matcher.value});
    }
  }
  query.replica_labels = options.replica_labels;
  return query;
}

std::string instance_name(const Environment& environment) {
  const std::string pod = value_of(environment, "POD_NAME");
  return pod.empty() ? "scaledcache" : pod;
}

// A restart under the same name is another candidate.
Candidacy candidacy(const Options& options,
                    const k8s::ClusterConfig& cluster,
                    const Environment& environment) {
  std::random_device random;
  const std::string& name_space = options.leader.lease_namespace;
  return {{name_space.empty() ? cluster.name_space : name_space, options.leader.lease_name},
          fmt::format("{}_{:08x}{:08x}", instance_name(environment), random(), random()),
          options.leader.timing};
}

// The first delay of a key differs from key to key, so that a thousand of them do not ask the
// backend in the same instant; later ones keep the rhythm.
class Phases {
 public:
  Milliseconds spread(const std::string& key, Milliseconds delay) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (!seen_.insert(key).second) {
      return delay;
    }
    return Milliseconds{
        std::uniform_int_distribution<std::int64_t>(delay.count() / 2, delay.count())(engine_)};
  }

  void forget(const std::string& key) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    seen_.erase(key);
  }

 private:
  Mutex mutex_;
  std::set<std::string> seen_ GUARDED_BY(mutex_);
  std::minstd_rand engine_ GUARDED_BY(mutex_){std::random_device{}()};
};

// To the API server. The lease has one of its own, so that nothing that is slow can cost it.
struct Connections {
  std::unique_ptr<http::CpprestTransport> requests;
  std::unique_ptr<http::CpprestTransport> lease;
};

// Members in the order in which they are made; they go in the reverse order.
class App {
 public:
  App(const Options& options,
      const k8s::ClusterConfig& cluster,
      const Environment& environment,
      k8s::Credentials& credentials,
      Connections connections);

  // Serves, watches and asks for the lease. An error is fatal: an address to serve on cannot be
  // used.
  Result<void> start(const Options& options, const k8s::ClusterConfig& cluster);

  // Decides and writes, from now on.
  void lead(const Options& options);

  // nullptr: this process leads, whoever else does.
  [[nodiscard]] const Leader* leader() const { return leader_.get(); }

 private:
  void work(const std::string& key, const std::stop_token& stop);
  void add_gauges();
  void keep_house(const std::stop_token& stop);
  [[nodiscard]] std::optional<Milliseconds> oldest_in_flight() const;
  Result<std::unique_ptr<http::HttpServer>> serve(const std::string& address);
  Result<void> serve_webhook(const WebhookOptions& options, const std::string& name_space);
  Result<void> serve_page(const PageOptions& options);
  [[nodiscard]] k8s::KubeClient::Options guarded() const;
  [[nodiscard]] std::optional<std::string> unready() const;
  [[nodiscard]] http::Response answer(const std::optional<std::string>& problem) const;

  Clock& clock_ = system_clock();
  Log log_;
  Metrics metrics_{kVersion};
  k8s::Credentials& credentials_;
  k8s::ApiServer server_;
  std::string origin_;
  std::string instance_;
  std::unique_ptr<http::CpprestTransport> requests_;
  std::unique_ptr<http::CpprestTransport> lease_requests_;
  std::unique_ptr<Leader> leader_;  // ends behind everything that writes, and then gives way
  k8s::KubeClient client_;
  k8s::KubeClient gate_client_;  // with a budget of its own: no status write delays a pod
  k8s::Discovery discovery_;
  http::SystemResolver resolver_;
  http::CurlTransport backends_;
  http::CurlTransport pods_;
  prom::BackendClient backend_;
  WorkQueue queue_;
  Phases phases_;
  WorkQueue gate_queue_;
  GateBook gates_;
  Watches watches_;
  GateIndex gate_index_{watches_};
  std::unique_ptr<WebhookServer> webhook_;  // answers until little else is left
  TargetFinder targets_;
  WarmGate gate_;
  BackendAccess access_{client_, clock_};
  SignalReader signals_;
  Observer observer_;
  Actuator actuator_;
  Restorer restorer_;
  const std::unique_ptr<PageBook> page_book_;  // nullptr: there is no status page
  Reconciler reconciler_;
  std::unique_ptr<http::HttpServer> http_;
  std::unique_ptr<PageServer> page_;
  std::unique_ptr<WorkerPool> workers_;
  std::jthread housekeeper_;
};

App::App(const Options& options,
         const k8s::ClusterConfig& cluster,
         const Environment& environment,
         k8s::Credentials& credentials,
         Connections connections)
    : log_(clock_, options.log_format, options.log_level),
      credentials_(credentials),
      server_(cluster.origin + cluster.path_prefix, credentials_, k8s::user_agent_of(kVersion)),
      origin_(cluster.origin),
      instance_(instance_name(environment)),
      requests_(std::move(connections.requests)),
      lease_requests_(std::move(connections.lease)),
      leader_(options.leader.elect
                  ? std::make_unique<Leader>(
                        LeaderParts{*lease_requests_, server_, clock_, system_boot_clock(), log_},
                        candidacy(options, cluster, environment))
                  : nullptr),
      client_(*requests_, server_, clock_, guarded()),
      gate_client_(*requests_, server_, clock_, guarded()),
      discovery_(client_, clock_),
      backends_({.addresses = address_policy(options, cluster, environment)}, resolver_),
      pods_({.addresses = address_policy(options, cluster, environment),
             .connect_timeout = kPodConnect,
             .max_idle_connections = kIdleToPods},
            resolver_),
      backend_(backends_, clock_, {}),
      queue_(clock_),
      gate_queue_(clock_),
      gates_([this](const std::string& key) { gate_queue_.add(key); }),
      watches_({[this] { return http::CpprestTransport::create(origin_, credentials_.tls()); },
                server_, clock_, log_},
               options.namespaces,
               {[this](const std::string& key) { queue_.add(key); },
                [this](const std::string& key) { gate_queue_.add(key); }}),
      targets_(client_, discovery_),
      gate_({watches_, watches_, targets_, gate_queue_, gates_, gate_client_, pods_, clock_,
             metrics_, log_},
            {address_policy(options, cluster, environment),
             static_cast<double>(options.warmup_requests_per_second), instance_name(environment)}),
      signals_({backend_, clock_, metrics_, &access_}, query_options(options)),
      observer_({watches_, targets_, signals_, clock_, options.max_replicas_limit, &gates_}),
      actuator_({watches_, client_, clock_, metrics_, log_, instance_name(environment)}),
      restorer_({watches_, targets_, client_, clock_}),
      page_book_(options.page.enabled() ? std::make_unique<PageBook>() : nullptr),
      reconciler_({watches_, observer_, actuator_, clock_, metrics_, log_, &gates_, &restorer_,
                   page_book_.get()}) {}

// What only the leader may write, with a window that is asked right before each write.
k8s::KubeClient::Options App::guarded() const {
  k8s::KubeClient::Options options;
  if (leader_) {
    options.write_window = [leader = leader_.get()] { return leader->write_window(); };
  }
  return options;
}

Result<void> App::start(const Options& options, const k8s::ClusterConfig& cluster) {
  if (cluster.tls.insecure_skip_verify) {
    log_.warn("the API server's certificate is not checked: insecure-skip-tls-verify is set");
  }
  add_gauges();
  if (auto webhook = serve_webhook(options.webhook, cluster.name_space); !webhook) {
    return webhook.error();
  }
  if (auto page = serve_page(options.page); !page) {
    return page.error();
  }
  // Last: its answers tell of the webhook.
  auto server = serve(options.listen_address);
  if (!server) {
    return server.error();
  }
  http_ = std::move(*server);
  housekeeper_ = std::jthread([this](const std::stop_token& stop) {
    set_thread_name("sc-house");
    keep_house(stop);
  });
  if (leader_) {
    leader_->start();
  }
  return {};
}

void App::lead(const Options& options) {
  workers_ = std::make_unique<WorkerPool>(
      queue_, static_cast<std::size_t>(options.workers),
      WorkerCallbacks{
          [this](const std::string& key, const std::stop_token& stop) { work(key, stop); },
          [this](const std::string& key, std::string_view what) {
            Fields fields;
            fields["key"] = key;
            fields["error"] = what;
            log_.error("a look ended with an exception", fields);
            queue_.add_after(key, kAfterException);
          }});
  gate_.start();
}

void App::work(const std::string& key, const std::stop_token& stop) {
  if (const auto again = reconciler_.reconcile(key, stop)) {
    queue_.add_after(key, phases_.spread(key, *again));
  } else {
    phases_.forget(key);
  }
}

void App::add_gauges() {
  metrics_.add_gauge("scaledcache_queue_depth", "Keys that wait for a worker.", "", "",
                     [this] { return static_cast<double>(queue_.depth()); });
  metrics_.add_gauge("scaledcache_watch_age_seconds",
                     "Time since the watch with the oldest news had any.", "", "", [this] {
                       Milliseconds oldest{0};
                       for (const WatchReport& report : watches_.reports()) {
                         if (report.progress.last_data) {
                           oldest =
                               std::max(oldest, std::chrono::duration_cast<Milliseconds>(
                                                    clock_.steady() - *report.progress.last_data));
                         }
                       }
                       return std::chrono::duration<double>(oldest).count();
                     });
  metrics_.add_gauge("scaledcache_leader", "1 where this process decides, 0 where it stands by.",
                     "", "", [this] { return !leader_ || leader_->leads() ? 1.0 : 0.0; });
}

// Certificates are files that others rotate, and lists and answers leave holes in the heap.
void App::keep_house(const std::stop_token& stop) {
  while (clock_.wait_for(kHousekeeping, stop)) {
    give_back_memory();
    watches_.drop_unused_views();
    if (credentials_.reload_tls()) {
      const auto tls = credentials_.tls();
      (void)requests_->update_tls(tls);
      (void)lease_requests_->update_tls(tls);
      watches_.update_tls(tls);
      log_.info("TLS material changed, new connections use it");
    }
  }
}

// Of looks at ScaledCaches and at pods; a warm-up may take its time.
std::optional<Milliseconds> App::oldest_in_flight() const {
  const auto look = queue_.oldest_in_flight();
  const auto gate = gate_queue_.oldest_in_flight();
  return look && gate ? std::max(*look, *gate) : look ? look : gate;
}

http::Response App::answer(const std::optional<std::string>& problem) const {
  return {problem ? 503 : 200,
          {{"Content-Type", "text/plain; charset=utf-8"}},
          problem.value_or("ok") + "\n"};
}

Result<std::unique_ptr<http::HttpServer>> App::serve(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  http::ServerOptions options;
  options.address = address.substr(0, colon);
  (void)std::from_chars(address.data() + colon + 1, address.data() + address.size(), options.port);
  const auto metrics = [this](const http::ServerRequest&) {
    return http::Response{
        200, {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}}, metrics_.scrape()};
  };
  const auto live = [this](const http::ServerRequest&) {
    return answer(
        judge_liveness({watches_.reports(), oldest_in_flight(), clock_.steady(),
                        leader_ ? std::optional<Milliseconds>(leader_->silence()) : std::nullopt}));
  };
  const auto ready = [this](const http::ServerRequest&) { return answer(unready()); };
  auto server = http::HttpServer::start(options, {{"/metrics", http::Method::Get, metrics},
                                                  {"/healthz", http::Method::Get, live},
                                                  {"/readyz", http::Method::Get, ready}});
  if (server) {
    Fields fields;
    fields["address"] = options.address + ":" + std::to_string((*server)->port());
    fields["version"] = kVersion;
    fields["cluster"] = origin_;
    log_.info("serving", fields);
  }
  return server;
}

Result<void> App::serve_webhook(const WebhookOptions& options, const std::string& name_space) {
  if (!options.enabled()) {
    return {};
  }
  const auto may_write = [this] { return !leader_ || leader_->leads(); };
  IdentitySource source =
      options.certificate_directory.empty()
          ? certificate_secret(
                {client_, clock_, log_, may_write},
                {options.secret, options.configuration, {name_space, options.service}})
          : certificate_files(options.certificate_directory);
  auto webhook = WebhookServer::start(
      {gate_index_, clock_, log_,
       [this](AdmissionOutcome outcome) { metrics_.count_admission(name_of(outcome)); }},
      options.address, std::move(source));
  if (!webhook) {
    return webhook.error();
  }
  webhook_ = std::move(*webhook);
  Fields fields;
  fields["port"] = webhook_->port();
  log_.info("the webhook listens", fields);
  metrics_.add_gauge("scaledcache_webhook_certificate_expiry_timestamp_seconds",
                     "When the certificate that the webhook shows expires; 0 while there is none.",
                     "", "", [this] {
                       const auto expires = webhook_->expires().value_or(WallTime{});
                       return std::chrono::duration<double>(expires.time_since_epoch()).count();
                     });
  return {};
}

Result<void> App::serve_page(const PageOptions& options) {
  if (page_book_ == nullptr) {
    return {};
  }
  auto page = PageServer::start({*page_book_, clock_, log_, std::string(kVersion), instance_,
                                 [this] { return !leader_ || leader_->leads(); }},
                                options);
  if (!page) {
    return page.error();
  }
  page_ = std::move(*page);
  Fields fields;
  fields["port"] = page_->port();
  fields["token"] = !options.token_file.empty();
  log_.info("the status page is served", fields);
  return {};
}

// A standby is ready too: it answers the webhook.
std::optional<std::string> App::unready() const {
  const auto problem = judge_readiness(watches_.cache_reports());
  return problem || !webhook_ ? problem : webhook_->problem();
}

// Waits for the lease, leads, and waits for the end. The exit code.
int run_until_stopped(App& app, const Options& options, TerminationSignals& signals) {
  const Leader* leader = app.leader();
  if (leader != nullptr && signals.wait(leader->elected())) {
    return 0;
  }
  app.lead(options);
  const bool ended_by_signal =
      signals.wait(leader == nullptr ? std::stop_token() : leader->lost()).has_value();
  return ended_by_signal ? 0 : 1;
}

}  // namespace

int run_app(const Options& options,
            const k8s::ClusterConfig& cluster,
            const Environment& environment,
            TerminationSignals& signals) {
  k8s::Credentials credentials(cluster, system_clock());
  auto requests = http::CpprestTransport::create(cluster.origin, credentials.tls());
  if (!requests) {
    std::fprintf(stderr, "%s: %s\n", cluster.source.c_str(), requests.error().message.c_str());
    return 2;
  }
  auto lease = http::CpprestTransport::create(cluster.origin, credentials.tls());
  if (!lease) {
    std::fprintf(stderr, "%s: %s\n", cluster.source.c_str(), lease.error().message.c_str());
    return 2;
  }
  App app(options, cluster, environment, credentials, {std::move(*requests), std::move(*lease)});
  if (const auto started = app.start(options, cluster); !started) {
    std::fprintf(stderr,
                 "--listen-address=\"%s\" --webhook-address=\"%s\" --page-address=\"%s\": %s\n",
                 options.listen_address.c_str(), options.webhook.address.c_str(),
                 options.page.address.c_str(), started.error().message.c_str());
    return 2;
  }
  return run_until_stopped(app, options, signals);
}

}  // namespace scaledcache::controller
