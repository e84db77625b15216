// Two operators and one lease: one decides, the other takes over. The lease is short, so that a
// test need not wait for long; nothing here depends on how long it is.
#include <memory>
#include <string>

#include <signal.h>

#include <doctest/doctest.h>

#include "loopback/world.h"

namespace scaledcache::loopback {
namespace {

constexpr const char* kLeaseKey = "shop/scaledcache";

// A world whose process() is the first replica; both are started by the test.
struct Pair {
  World world;
  std::unique_ptr<OperatorProcess> second;

  Pair() {
    world.deploy("web", 2, 300);
    world.create_cache("web");
  }

  static std::vector<std::string> flags() {
    return {"--leader-elect", "--lease-namespace=shop", "--lease-duration=3s",
            "--lease-renew-deadline=2s", "--lease-retry-period=500ms"};
  }

  void start_first() {
    world.start(flags());
    world.wait_until_ready("web");
  }

  void start_second() {
    std::vector<std::string> arguments{"controller", "--kubeconfig=" + world.write_kubeconfig(),
                                       "--listen-address=127.0.0.1:0", "--development"};
    const auto more = flags();
    arguments.insert(arguments.end(), more.begin(), more.end());
    second = std::make_unique<OperatorProcess>(world.pulse, arguments);
    world.eventually("the second stands by",
                     [&] { return !second->logged("standing by: another replica leads").empty(); });
  }

  [[nodiscard]] std::string holder() const {
    const auto lease = world.api.objects().find("leases", kLeaseKey);
    return lease ? (*lease)["spec"]["holderIdentity"].get<std::string>() : "(none)";
  }

  void wait_for_second() {
    world.eventually("the second leads",
                     [&] { return !second->logged("this replica leads").empty(); });
  }

  // The load asks for five pods; one step is taken, by whoever leads.
  void grow() {
    world.fleet("web").set_load(900);
    world.wait_for_replicas("web", 5);
  }
};

bool says(const OperatorProcess& process, const std::string& line) {
  return process.get("/metrics").find("\n" + line + "\n") != std::string::npos;
}

}  // namespace

TEST_CASE("a standby is ready and serves, and decides nothing") {
  Pair pair;
  pair.start_first();
  pair.start_second();
  pair.world.eventually("it is ready", [&] { return pair.second->status_of("/readyz") == 200; });
  CHECK(pair.second->status_of("/healthz") == 200);
  CHECK(says(*pair.second, "scaledcache_leader 0"));
  CHECK(says(pair.world.process(), "scaledcache_leader 1"));
  CHECK(says(*pair.second, "scaledcache_decisions_total{reason=\"Steady\"} 0"));
  CHECK(says(*pair.second, "scaledcache_queue_depth 0"));  // it collects nothing, either
}

TEST_CASE("kill -9 of the leader: the other takes over, and nothing is written twice") {
  Pair pair;
  pair.start_first();
  pair.start_second();
  pair.world.process().kill();
  pair.grow();
  pair.wait_for_second();
  CHECK(pair.world.scale_steps("web") == "2>5");
}

TEST_CASE("SIGTERM of the leader: the lease is given back, and the other takes it") {
  Pair pair;
  pair.start_first();
  pair.start_second();
  pair.world.process().send_signal(SIGTERM);
  pair.world.eventually("the first has ended", [&] { return !pair.world.process().alive(); });
  CHECK(pair.world.process().exit_code() == 0);
  CHECK(pair.world.process().logged("the lease is given back").size() == 1);
  pair.wait_for_second();
  pair.grow();
  CHECK(pair.world.scale_steps("web") == "2>5");
}

TEST_CASE("SIGTERM of a standby leaves the lease alone") {
  Pair pair;
  pair.start_first();
  pair.start_second();
  const std::string holder = pair.holder();
  pair.second->send_signal(SIGTERM);
  pair.world.eventually("it has ended", [&] { return !pair.second->alive(); });
  CHECK(pair.second->exit_code() == 0);
  CHECK(pair.holder() == holder);
  pair.grow();
}

TEST_CASE("E8: a leader whose renewals hang ends, and the other takes over") {
  Pair pair;
  pair.start_first();
  pair.start_second();
  pair.world.api.fail(
      {.kind = ApiFault::Kind::Stall, .method = "PUT", .target_contains = "/leases/"});
  pair.world.eventually("the first has ended", [&] { return !pair.world.process().alive(); });
  CHECK(pair.world.process().exit_code() == 1);
  CHECK(pair.world.process()
            .logged("the lease is lost, another replica may lead: this process ends")
            .size() == 1);
  pair.world.api.clear_faults();
  pair.wait_for_second();
  pair.grow();
  CHECK(pair.world.scale_steps("web") == "2>5");
}

TEST_CASE(
    "S1: a leader that was stopped for longer than its lease writes nothing when it goes on") {
  Pair pair;
  pair.start_first();
  pair.start_second();
  pair.world.process().send_signal(SIGSTOP);
  pair.wait_for_second();
  pair.grow();
  pair.world.process().send_signal(SIGCONT);
  pair.world.eventually("the first has ended", [&] { return !pair.world.process().alive(); });
  CHECK(pair.world.process().exit_code() == 1);
  CHECK(pair.world.scale_steps("web") == "2>5");
}

TEST_CASE("without --leader-elect there is no lease") {
  World world;
  world.run("web", 2, 300);
  CHECK(world.api.count("GET", "/leases/") == 0);
  CHECK(world.api.objects().all("leases").empty());
}

}  // namespace scaledcache::loopback
