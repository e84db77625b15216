#include "controller/app.h"

#include <cstdio>
#include <thread>
#include <utility>

#include "controller/api_door.h"
#include "controller/decision_loop.h"
#include "controller/intake.h"
#include "controller/listeners.h"
#include "controller/metrics.h"
#include "controller/named_backends.h"
#include "controller/process_memory.h"
#include "controller/setup.h"
#include "controller/version.h"
#include "controller/vetted_transports.h"
#include "controller/warm_gate.h"
#include "runtime/thread_name.h"

namespace scaledcache::controller {
namespace {

constexpr Milliseconds kHousekeeping{30'000};

// Members in the order in which they are made; they stop in the reverse order: first who acts on
// his own, then who acts on what he is asked, the watches, and at last the lease is given back.
class App {
 public:
  // `named` outlives the operator.
  App(const Setup& setup, ApiConnections connections, NamedBackends& named);

  // Serves, watches and asks for the lease. An error is fatal: an address to serve on cannot be
  // used.
  Result<void> start();

  // Decides and writes, from now on.
  void lead();

  // nullptr: this process leads, whoever else does.
  [[nodiscard]] const Leader* leader() const { return api_.leader.get(); }

 private:
  void keep_house(const std::stop_token& stop);
  void read_backends_again();

  const Setup setup_;
  NamedBackends& named_;
  Clock& clock_ = system_clock();
  const Log log_;
  Metrics metrics_{kVersion};
  ApiDoor api_;
  VettedTransports vetted_;
  Intake intake_;
  Listeners listeners_;
  WarmGate gate_;
  DecisionLoop decisions_;
  std::jthread housekeeper_;
};

App::App(const Setup& setup, ApiConnections connections, NamedBackends& named)
    : setup_(setup),
      named_(named),
      log_(clock_, setup.options.log_format, setup.options.log_level),
      api_(setup, std::move(connections), clock_, log_),
      vetted_(setup),
      intake_(setup, api_, clock_, log_),
      listeners_({api_, intake_, clock_, metrics_, log_}, setup),
      gate_({intake_.watches, intake_.watches, api_.targets, intake_.gate_queue, intake_.gates,
             api_.gate_client, vetted_.pods, clock_, metrics_, log_},
            {address_policy(setup), static_cast<double>(setup.options.warmup_requests_per_second),
             instance_name(setup.environment)}),
      decisions_(
          {api_, intake_, vetted_.backends, named, listeners_.page_book(), clock_, metrics_, log_},
          setup) {}

Result<void> App::start() {
  if (setup_.cluster.tls.insecure_skip_verify) {
    log_.warn("the API server's certificate is not checked: insecure-skip-tls-verify is set");
  }
  if (auto listening = listeners_.start(); !listening) {
    return listening;
  }
  housekeeper_ = std::jthread([this](const std::stop_token& stop) {
    set_thread_name("sc-house");
    keep_house(stop);
  });
  if (api_.leader) {
    api_.leader->start();
  }
  return {};
}

void App::lead() {
  intake_.lead();
  decisions_.start(static_cast<std::size_t>(setup_.options.workers));
  gate_.start();
}

// Certificates are files that others rotate, and lists and answers leave holes in the heap.
void App::keep_house(const std::stop_token& stop) {
  while (clock_.wait_for(kHousekeeping, stop)) {
    give_back_memory();
    intake_.watches.drop_unused_views();
    read_backends_again();
    if (const auto tls = api_.reload_tls()) {
      intake_.watches.update_tls(*tls);
      log_.info("TLS material changed, new connections use it");
    }
  }
}

void App::read_backends_again() {
  const auto changed = named_.reload();
  if (!changed) {
    log_.warn("the named backends stay as they were: " + changed.error().message);
  } else if (*changed) {
    log_.info("the file of named backends changed, new queries use it");
  }
}

// Waits for the lease, leads, and waits for the end. The exit code.
int run_until_stopped(App& app, TerminationSignals& signals) {
  const Leader* leader = app.leader();
  if (leader != nullptr && signals.wait(leader->elected())) {
    return 0;
  }
  app.lead();
  const bool ended_by_signal =
      signals.wait(leader == nullptr ? std::stop_token() : leader->lost()).has_value();
  return ended_by_signal ? 0 : 1;
}

}  // namespace

int run_app(const Options& options,
            const k8s::ClusterConfig& cluster,
            const Environment& environment,
            TerminationSignals& signals) {
  const auto named = NamedBackends::open(options.backends_config, cluster.name_space);
  if (!named) {
    std::fprintf(stderr, "%s\n", named.error().message.c_str());
    return 2;
  }
  auto connections = make_connections(cluster, system_clock());
  if (!connections) {
    std::fprintf(stderr, "%s: %s\n", cluster.source.c_str(), connections.error().message.c_str());
    return 2;
  }
  App app({options, cluster, environment}, std::move(*connections), **named);
  if (const auto started = app.start(); !started) {
    std::fprintf(stderr,
                 "--listen-address=\"%s\" --webhook-address=\"%s\" --page-address=\"%s\": %s\n",
                 options.listen_address.c_str(), options.webhook.address.c_str(),
                 options.page.address.c_str(), started.error().message.c_str());
    return 2;
  }
  return run_until_stopped(app, signals);
}

}  // namespace scaledcache::controller
