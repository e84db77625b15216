// Crashes between two writes, and restarts against an API server that lags: faults A and B.
#include <algorithm>
#include <cstddef>

#include <doctest/doctest.h>

#include "loopback/world.h"

namespace scaledcache::loopback {
TEST_CASE("A1: a crash after the scale patch, before its answer, leads to no second step") {
  World world;
  world.run("web", 2, 300);
  world.api.fail({.kind = ApiFault::Kind::ApplyThenStall,
                  .method = "PATCH",
                  .target_contains = "/web/scale",
                  .times = 1});
  world.fleet("web").set_load(900);
  world.wait_for_replicas("web", 5);
  world.restart();
  world.eventually("the new one sees five", [&] {
    return world.status("web").value("replicas", 0) == 5 && world.reason("web") == "Steady";
  });
  world.wait_for_looks(2);
  CHECK(world.scale_steps("web") == "2>5");
}

TEST_CASE("A2: a crash between scale patch and status write keeps the cooldown") {
  World world;
  world.run("web", 2, 300, {{"cooldown", "1h"}});
  world.api.fail(
      {.kind = ApiFault::Kind::Stall, .method = "PATCH", .target_contains = "/web/status"});
  const std::size_t tried = world.api.count("PATCH", "/web/status");
  world.fleet("web").set_load(900);
  world.wait_for_replicas("web", 5);
  world.eventually("the status write is under way",
                   [&] { return world.api.count("PATCH", "/web/status") > tried; });
  world.fleet("web").set_load(100);
  world.process().kill();
  world.api.clear_faults();
  world.restart();
  world.eventually("what holds it is the cooldown",
                   [&] { return world.reason("web") == "CoolingDown"; });
  CHECK(world.scale_steps("web") == "2>5");
}

TEST_CASE("A3: a restart in steady state writes no count and no event") {
  World world;
  world.run("web", 2, 300);
  world.fleet("web").set_load(900);
  world.wait_for_replicas("web", 5);
  world.eventually("the status is written", [&] { return world.reason("web") == "Steady"; });
  const std::size_t events = world.api.objects().all("events").size();
  world.restart();
  world.wait_for_looks(2);
  CHECK(world.scale_steps("web") == "2>5");
  CHECK(world.api.objects().all("events").size() == events);
  CHECK(world.condition("web", "Ready") == "True AsExpected");
}

TEST_CASE("B1: a restart against a view of the past changes nothing by mistake") {
  World world;
  world.run("web", 2, 300, {{"cooldown", "1h"}});
  world.process().kill();
  world.api.objects().freeze("deployments");
  world.api.scale_by_hand("deployments", key("web"), 7);
  world.fleet("web").set_load(900);  // five are enough: the past's two are too few
  world.restart();
  world.eventually("decisions made from the past are refused",
                   [&] { return world.scale_writes("web").size() >= 2; });
  CHECK(world.replicas("web") == 7);
  world.api.objects().thaw("deployments");
  world.eventually("the present is seen", [&] {
    return world.status("web").value("replicas", 0) == 7 && world.reason("web") == "CoolingDown";
  });
  CHECK(world.scale_steps("web").starts_with("2>5 (422), 2>5 (422)"));
  CHECK(world.obeyed_steps("web") == "");
}

TEST_CASE("B3: its own writes that the watch does not show yet are known, and none is repeated") {
  World world;
  world.run("web", 2, 300);
  world.api.objects().freeze("deployments");
  world.fleet("web").set_load(2300);
  world.wait_for_replicas("web", 10);
  world.wait_for_looks(2);
  CHECK(world.scale_steps("web") == "2>8, 8>10");
  world.api.objects().thaw("deployments");
  world.wait_for_looks(2);
  CHECK(world.scale_steps("web") == "2>8, 8>10");
}

TEST_CASE("B6: a Deployment made anew under the same name is another one") {
  World world;
  world.run("web", 2, 300);
  world.api.objects().freeze("deployments");
  world.api.objects().remove("deployments", key("web"));
  world.api.apply("deployments", workload_manifest(kNamespace, "web", 2));
  world.fleet("web").set_load(900);
  world.eventually("a patch for the old one is refused",
                   [&] { return world.scale_steps("web").starts_with("2>5 (422)"); });
  CHECK(world.replicas("web") == 2);
  world.api.objects().thaw("deployments");
  world.wait_for_replicas("web", 5);
}

TEST_CASE("S4: the status of a ScaledCache that is gone is not written to the next of its name") {
  World world;
  world.run("web", 2, 300);
  world.api.objects().freeze("scaledcaches");
  world.api.objects().remove("scaledcaches", key("web"));
  world.create_cache("web", {{"maxReplicas", 4}});
  world.fleet("web").set_load(900);
  world.wait_for_replicas("web", 5);  // by the old one's maximum: the new one is not seen yet
  world.wait_for_looks(2);
  CHECK(world.status("web").is_null());
  const auto writes = world.api.writes();
  CHECK(std::any_of(writes.begin(), writes.end(), [](const ApiWrite& write) {
    return write.path.ends_with("/web/status") && write.status == 422;
  }));
  world.api.objects().thaw("scaledcaches");
  world.wait_for_replicas("web", 4);
  world.wait_until_ready("web");
}

TEST_CASE("C7: a count set by hand is decided again, and kept within its bounds") {
  World world;
  world.run("web", 5, 900, {{"cooldown", "1h"}});
  world.api.scale_by_hand("deployments", key("web"), 3);
  world.wait_for_replicas("web", 5);
  world.api.scale_by_hand("deployments", key("web"), 20);
  world.wait_for_replicas("web", 10);
  world.api.scale_by_hand("deployments", key("web"), 1);
  world.eventually("up again", [&] { return world.replicas("web") >= 5; });
  CHECK(world.obeyed_steps("web").starts_with("3>5, 20>10, 1>2"));
}

}  // namespace scaledcache::loopback
