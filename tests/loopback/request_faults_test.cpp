// Requests that are refused, lost or never answered: faults D and E.
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "loopback/world.h"

namespace scaledcache::loopback {
namespace {

bool says(const World& world, const std::string& text) {
  const auto lines = world.process().output();
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

}  // namespace

TEST_CASE("D5: 429 on one target's scale delays that one, whatever Retry-After says") {
  World world;
  world.deploy("slow", 2, 900);
  world.create_cache("slow");
  world.deploy("other", 2, 900);
  world.create_cache("other");
  for (const HeaderList& headers :
       {HeaderList{{"Retry-After", "1"}}, HeaderList{{"Retry-After", "abc"}}, HeaderList{}}) {
    world.api.fail({.method = "PATCH",
                    .target_contains = "/slow/scale",
                    .status = 429,
                    .headers = headers,
                    .times = 1});
  }
  world.start();
  world.wait_for_replicas("other", 5);
  world.wait_for_replicas("slow", 5);
  CHECK(world.obeyed_steps("slow") == "2>5");
}

TEST_CASE("D7: after a rotation of the token file the next request carries the new one") {
  World world;
  const std::string token = world.folder.write("token", "first-secret-token\n");
  world.api.require_token("first-secret-token");
  static_cast<void>(world.write_kubeconfig({{"tokenFile", token}}));
  world.run("web", 2, 300);
  world.folder.write("token", "second-secret-token\n");
  world.api.require_token("second-secret-token");
  world.fleet("web").set_load(900);
  world.wait_for_replicas("web", 5);
  world.api.objects().order("deployments", {"", StreamOrder::End::Clean});
  world.fleet("web").set_load(1900);
  world.wait_for_replicas("web", 10);
  CHECK(world.condition("web", "Ready") == "True AsExpected");
  CHECK_FALSE(says(world, "secret-token"));  // S9
}

TEST_CASE("D8: a kind that is forbidden is said so, and works once the right is granted") {
  World world;
  world.api.fail({.method = "GET", .target_contains = "/pods", .status = 403});
  world.deploy("web", 2, 900);
  world.create_cache("web");
  world.start();
  world.eventually("the log names what is forbidden",
                   [&] { return says(world, "pods") && says(world, "Forbidden"); });
  CHECK(world.process().alive());
  CHECK(world.replicas("web") == 2);
  world.api.clear_faults();
  world.wait_for_replicas("web", 5);
}

TEST_CASE("D9: without its CRD the operator waits, and goes on when the CRD comes") {
  World world;
  world.api.set_served("scaledcaches", false);
  world.deploy("web", 2, 900);
  world.create_cache("web");
  world.start();
  world.eventually("it has asked twice", [&] { return world.api.lists("scaledcaches") >= 2; });
  CHECK(world.process().alive());
  CHECK(world.process().status_of("/healthz") == 200);
  CHECK(world.process().status_of("/readyz") == 503);
  world.api.set_served("scaledcaches", true);
  world.wait_for_replicas("web", 5);
}

TEST_CASE("D10: 409 for ever on status does not keep it from scaling") {
  World world;
  world.api.fail({.method = "PATCH", .target_contains = "/status", .status = 409});
  world.deploy("web", 2, 2300);
  world.create_cache("web");
  world.start();
  world.wait_for_replicas("web", 10);
  const std::size_t tries = world.api.count("PATCH", "/status");
  constexpr std::size_t kLooks = 4;
  world.wait_for_looks(kLooks);
  CHECK(world.api.count("PATCH", "/status") - tries <= kLooks + 2);
  CHECK(world.obeyed_steps("web") == "2>8, 8>10");
  world.api.clear_faults();
  world.wait_until_ready("web");
}

TEST_CASE("D11 D12: a scale write whose answer is lost was done, and is not done twice") {
  for (const auto kind : {ApiFault::Kind::ApplyThenAnswer, ApiFault::Kind::ApplyThenCut}) {
    World world;
    world.run("web", 2, 300);
    world.api.fail(
        {.kind = kind, .method = "PATCH", .target_contains = "/scale", .status = 500, .times = 1});
    world.fleet("web").set_load(900);
    world.wait_for_replicas("web", 5);
    world.eventually("the status tells of five",
                     [&] { return world.status("web").value("replicas", 0) == 5; });
    world.wait_for_looks(2);
    CHECK(world.obeyed_steps("web") == "2>5");
  }
}

TEST_CASE("D11: a status write whose answer is lost is made good") {
  World world;
  world.run("web", 2, 300);
  world.api.fail({.kind = ApiFault::Kind::ApplyThenAnswer,
                  .method = "PATCH",
                  .target_contains = "/status",
                  .status = 500,
                  .times = 2});
  world.fleet("web").set_load(2300);
  world.wait_for_replicas("web", 10);
  world.eventually("the status is right", [&] {
    return world.status("web").value("replicas", 0) == 10 && world.reason("web") == "AtMaximum";
  });
  CHECK(world.obeyed_steps("web") == "2>8, 8>10");
}

TEST_CASE("D22: a compressed list is refused, and asked for again") {
  World world;
  world.api.fail({.method = "GET",
                  .target_contains = "/deployments?",
                  .status = 200,
                  .body = "\x1f\x8b\x08 compressed",
                  .headers = {{"Content-Encoding", "gzip"}},
                  .times = 1});
  world.deploy("web", 2, 900);
  world.create_cache("web");
  world.start();
  world.wait_for_replicas("web", 5);
}

TEST_CASE("E2: while the API server is away the process lives, and goes on when it is back") {
  World world;
  world.run("web", 2, 300);
  world.api.peer().set_down(true);
  const std::size_t tries = world.api.peer().connections();
  world.fleet("web").set_load(900);
  world.eventually("it has tried again and again",
                   [&] { return world.api.peer().connections() >= tries + 10; });
  CHECK(world.process().alive());
  CHECK(world.process().status_of("/healthz") == 200);
  world.api.peer().set_down(false);
  world.wait_for_replicas("web", 5);
}

TEST_CASE("an API server that is not there at the start is waited for") {
  World world;
  world.api.peer().set_down(true);
  world.deploy("web", 2, 900);
  world.create_cache("web");
  world.start();
  world.eventually("it has tried twice", [&] { return world.api.peer().connections() >= 2; });
  CHECK(world.process().alive());
  world.api.peer().set_down(false);
  world.wait_for_replicas("web", 5);
}

TEST_CASE("E5: a scale write that is never answered ends by its deadline and is judged anew") {
  World world;
  world.run("web", 2, 300);
  world.api.fail({.kind = ApiFault::Kind::Stall,
                  .method = "PATCH",
                  .target_contains = "/web/scale",
                  .times = 1});
  world.fleet("web").set_load(900);
  world.deploy("other", 2, 900);
  world.create_cache("other");
  world.wait_for_replicas("other", 5);
  world.wait_for_replicas("web", 5);
  CHECK(world.obeyed_steps("web") == "2>5");
}

}  // namespace scaledcache::loopback
