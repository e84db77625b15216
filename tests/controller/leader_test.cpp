#include "controller/leader.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include <doctest/doctest.h>

#include "k8s/credentials.h"

namespace scaledcache::controller {
namespace {

using namespace std::chrono_literals;

// An API server with at most one Lease. Thread safe.
class LeaseApi final : public http::HttpTransport {
 public:
  Result<http::Response> send(const http::Request& request, std::stop_token /*stop*/) override {
    std::lock_guard lock(mutex_);
    if (down_) {
      return Error{ErrorCode::Unavailable, "down"};
    }
    if (request.method == http::Method::Get) {
      return lease_.is_null() ? respond(404, {{"code", 404}}) : respond(200, lease_);
    }
    const Json body = Json::parse(request.body);
    const bool creates = request.method == http::Method::Post;
    if (creates != lease_.is_null() || (!creates && body["metadata"]["resourceVersion"] !=
                                                        lease_["metadata"]["resourceVersion"])) {
      return respond(409, {{"code", 409}, {"reason", "Conflict"}});
    }
    lease_ = body;
    lease_["metadata"]["resourceVersion"] = std::to_string(++version_);
    return respond(200, lease_);
  }

  void set_down(bool down) {
    std::lock_guard lock(mutex_);
    down_ = down;
  }

  // As if another replica had written it.
  void take(const std::string& holder) {
    std::lock_guard lock(mutex_);
    lease_ = Json::parse(k8s::encode_lease({"ns", "scaledcache"}, {holder, 15s, "a", "b", 1}, ""));
    lease_["metadata"]["resourceVersion"] = std::to_string(++version_);
  }

  [[nodiscard]] std::string holder() const {
    std::lock_guard lock(mutex_);
    return lease_.is_null() ? "(none)" : lease_["spec"]["holderIdentity"].get<std::string>();
  }

 private:
  static http::Response respond(int status, const Json& body) {
    return {status, {{"Content-Type", "application/json"}}, body.dump()};
  }

  mutable std::mutex mutex_;
  Json lease_;
  bool down_ = false;
  int version_ = 0;
};

// Time that passes only when the one thread that waits has reached its next wait, and then up to
// that wait's end: a test sees every round of it, and no race.
class TurnClock final : public Clock, public BootClock {
 public:
  [[nodiscard]] WallTime wall() const override { return {}; }

  [[nodiscard]] SteadyTime steady() const override {
    std::lock_guard lock(mutex_);
    return now_;
  }

  [[nodiscard]] BootTime time() const override { return BootTime{steady().time_since_epoch()}; }

  bool wait_until(SteadyTime deadline, std::stop_token stop) override {
    std::unique_lock lock(mutex_);
    deadline_ = deadline;
    waiting_ = true;
    changed_.notify_all();
    changed_.wait(lock, stop, [&] { return !waiting_; });
    waiting_ = false;
    return !stop.stop_requested();
  }

  // Ends wait after wait until `event` is requested.
  void run_until(const std::stop_token& event) {
    const std::stop_callback wake(event, [this] {
      std::lock_guard lock(mutex_);
      changed_.notify_all();
    });
    std::unique_lock lock(mutex_);
    while (!event.stop_requested()) {
      changed_.wait(lock, [&] { return waiting_ || event.stop_requested(); });
      if (!event.stop_requested()) {
        now_ = std::max(now_, deadline_);
        waiting_ = false;
        changed_.notify_all();
      }
    }
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  SteadyTime now_{};
  SteadyTime deadline_{};
  bool waiting_ = false;
};

struct Rig {
  LeaseApi api;
  TurnClock clock;
  Log log{clock, LogFormat::Json, LogLevel::Error};
  k8s::Credentials credentials{{}, clock};
  k8s::ApiServer server{"https://api", credentials, "test"};

  Candidacy candidacy(const std::string& identity) {
    return {{"ns", "scaledcache"}, identity, k8s::LeaseTiming{}};
  }

  LeaderParts parts() { return {api, server, clock, clock, log}; }

  [[nodiscard]] std::chrono::nanoseconds passed() const {
    return clock.steady().time_since_epoch();
  }
};

TEST_CASE("a free lease is taken, kept, and given back") {
  Rig rig;
  Leader leader(rig.parts(), rig.candidacy("me"));
  CHECK_FALSE(leader.leads());
  leader.start();
  rig.clock.run_until(leader.elected());
  CHECK(rig.api.holder() == "me");
  CHECK(leader.leads());
  CHECK(leader.write_window() == 10s);
  CHECK_FALSE(leader.lost().stop_requested());
  leader.release();
  CHECK(rig.api.holder() == "");
  CHECK_FALSE(leader.leads());
  CHECK(leader.write_window() == 0ms);
}

TEST_CASE("what another holds is waited for") {
  Rig rig;
  rig.api.take("you");
  Leader leader(rig.parts(), rig.candidacy("me"));
  leader.start();
  rig.clock.run_until(leader.elected());
  CHECK(rig.passed() == 15'100ms);
  CHECK(rig.api.holder() == "me");
}

TEST_CASE("without an API server the leadership is lost, and stays lost") {
  Rig rig;
  Leader leader(rig.parts(), rig.candidacy("me"));
  leader.start();
  rig.clock.run_until(leader.elected());
  rig.api.set_down(true);
  rig.clock.run_until(leader.lost());
  CHECK(rig.passed() == 10s);
  CHECK(leader.write_window() <= 0ms);
  rig.api.set_down(false);
  leader.release();
  CHECK(rig.api.holder() == "me");  // others wait for its end: we may not know what we still do
}

TEST_CASE("a lease that another took is lost at once") {
  Rig rig;
  Leader leader(rig.parts(), rig.candidacy("me"));
  leader.start();
  rig.clock.run_until(leader.elected());
  rig.api.take("you");
  rig.clock.run_until(leader.lost());
  CHECK(rig.passed() == 4s);  // a conflict at 2 s, and a read
  CHECK_FALSE(leader.leads());
  leader.release();
  CHECK(rig.api.holder() == "you");
}

TEST_CASE("a standby that ends leaves the lease alone") {
  Rig rig;
  rig.api.take("you");
  Leader leader(rig.parts(), rig.candidacy("me"));
  leader.start();
  leader.release();
  CHECK(rig.api.holder() == "you");
}

}  // namespace
}  // namespace scaledcache::controller
