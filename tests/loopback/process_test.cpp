// The process itself: how it ends, and how it meets an API server behind TLS.
#include <string>

#include <signal.h>

#include <doctest/doctest.h>

#include "loopback/world.h"

namespace scaledcache::loopback {
namespace {

void wait_for_exit(World& world, int code) {
  world.eventually("the process has ended", [&] { return !world.process().alive(); });
  CHECK(world.process().exit_code() == code);
}

}  // namespace

TEST_CASE("E11: SIGTERM ends it with 0, at rest") {
  World world;
  world.run("web", 2, 300);
  world.process().send_signal(SIGTERM);
  wait_for_exit(world, 0);
  CHECK(world.process().errors().empty());
}

TEST_CASE("E11: SIGTERM ends it with 0 while queries and writes hang") {
  World world;
  world.run("web", 2, 300);
  world.api.fail({.kind = ApiFault::Kind::Stall, .method = "PATCH", .target_contains = "/scale"});
  const std::size_t writes = world.api.count("PATCH", "/scale");
  world.fleet("web").set_load(900);
  world.eventually("a write hangs", [&] { return world.api.count("PATCH", "/scale") > writes; });
  world.backend.set_fault(BackendFault::Hang);
  for (int i = 0; i < 20; ++i) {
    const std::string name = "more" + std::to_string(i);
    world.deploy(name, 2, 900);
    world.create_cache(name);
  }
  world.wait_for_looks(2);
  world.process().send_signal(SIGTERM);
  wait_for_exit(world, 0);
}

TEST_CASE("E11: SIGTERM ends it with 0 while the API server is away") {
  World world;
  world.api.peer().set_down(true);
  world.start();
  world.eventually("it tries", [&] { return world.api.peer().connections() >= 2; });
  world.process().send_signal(SIGTERM);
  wait_for_exit(world, 0);
}

TEST_CASE("behind TLS: an API server whose CA is trusted is spoken to") {
  const support::Identity authority = support::make_authority();
  const support::Identity server =
      support::make_identity({.alternative_names = "IP:127.0.0.1"}, &authority);
  World world(server, support::certificate_pem(authority));
  world.run("web", 2, 300);
  world.fleet("web").set_load(900);
  world.wait_for_replicas("web", 5);
}

TEST_CASE("E6: an API server of another CA gets nothing, and the process waits") {
  const support::Identity authority = support::make_authority();
  const support::Identity other = support::make_authority("Another CA");
  const support::Identity server =
      support::make_identity({.alternative_names = "IP:127.0.0.1"}, &other);
  World world(server, support::certificate_pem(authority));
  world.start();
  world.eventually("it has tried", [&] { return world.api.peer().connections() >= 2; });
  CHECK(world.process().alive());
  CHECK(world.api.requests().empty());
}

}  // namespace scaledcache::loopback
