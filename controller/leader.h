// Leader election: of several replicas one decides and writes, the others stand by. Renews a Lease
// on a thread and a connection of its own, so that nothing else can cost us the leadership.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "base/boot_clock.h"
#include "base/clock.h"
#include "controller/log.h"
#include "http/transport.h"
#include "k8s/api_server.h"
#include "k8s/kube_client.h"
#include "k8s/lease.h"

namespace scaledcache::controller {

// All references outlive the leader.
struct LeaderParts {
  http::HttpTransport& transport;  // nobody else's
  const k8s::ApiServer& server;
  Clock& clock;
  const BootClock& boot_clock;
  const Log& log;
};

struct Candidacy {
  k8s::LeaseName lease;
  std::string identity;  // unique to this process
  k8s::LeaseTiming timing;
};

// Thread safe but for start() and release(), which are the owner's.
class Leader {
 public:
  Leader(const LeaderParts& parts, Candidacy candidacy);
  Leader(const Leader&) = delete;
  Leader& operator=(const Leader&) = delete;

  // Releases: whatever is guarded has to have ended before.
  ~Leader();

  // Asks for the lease from now on.
  void start();

  // Requested once this process leads.
  [[nodiscard]] std::stop_token elected() const { return elected_.get_token(); }

  // Requested once it has led and does no longer: the process must end. Another one may lead soon.
  [[nodiscard]] std::stop_token lost() const { return lost_.get_token(); }

  // How long this process may still write; 0 or less: not at all. To be asked right before each
  // write, which must have ended by then.
  [[nodiscard]] std::chrono::milliseconds write_window() const;

  [[nodiscard]] bool leads() const { return write_window() > std::chrono::milliseconds{0}; }

  // Since when its thread has made no round; for the liveness probe.
  [[nodiscard]] std::chrono::milliseconds silence() const;

  // To be called after all guarded work has ended: stops renewing and, where the lease is ours,
  // gives it back, so that another replica need not wait for its end.
  void release();

 private:
  void run(const std::stop_token& stop);
  void make_round(const std::stop_token& stop);
  [[nodiscard]] Result<k8s::StoredLease> send(const k8s::LeaseRequest& request,
                                              const std::stop_token& stop);
  [[nodiscard]] k8s::LeaseTimes times() const;
  void note_failure(const Error& error);
  void publish();
  [[nodiscard]] std::chrono::milliseconds until_next_round() const;

  const LeaderParts parts_;
  const Candidacy candidacy_;
  k8s::KubeClient client_;
  k8s::LeaseCandidate candidate_;  // the thread's, and release()'s after it
  std::string last_failure_;       // likewise
  std::string last_holder_;        // likewise
  std::atomic<BootTime> window_end_;
  std::atomic<BootTime> last_round_;
  std::stop_source elected_;
  std::stop_source lost_;
  std::jthread thread_;
};

}  // namespace scaledcache::controller
