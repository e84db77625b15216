// Who else has a part in a fleet: an autoscaler on its target, pods that share its traffic, and who
// deletes the ScaledCache.
#include <string>

#include <doctest/doctest.h>

#include "loopback/world.h"

namespace scaledcache::loopback {
namespace {

constexpr const char* kAutoscalers = "horizontalpodautoscalers";

Json autoscaler_of(const std::string& name, const std::string& deployment) {
  return {{"metadata", {{"namespace", kNamespace}, {"name", name}}},
          {"spec",
           {{"scaleTargetRef",
             {{"apiVersion", "apps/v1"}, {"kind", "Deployment"}, {"name", deployment}}},
            {"maxReplicas", 5}}}};
}

}  // namespace

TEST_CASE("an HPA on the target: its name is told, and nothing is written while it is there") {
  World world;
  world.run("web", 2, 300);
  world.api.apply(kAutoscalers, autoscaler_of("web-hpa", "web"));
  world.eventually("the status names the autoscaler", [&] {
    return world.condition("web", "Contested") == "True HorizontalPodAutoscaler" &&
           world.message("web", "Contested").find("HorizontalPodAutoscaler web-hpa") !=
               std::string::npos;
  });
  world.fleet("web").set_load(2300);
  world.wait_for_looks(5);
  CHECK(world.scale_writes("web").empty());
  CHECK(world.replicas("web") == 2);

  REQUIRE(world.api.objects().remove(kAutoscalers, key("web-hpa")));
  world.wait_for_replicas("web", 10);
  world.eventually("nobody else is in charge",
                   [&] { return world.condition("web", "Contested") == "False SoleWriter"; });
}

TEST_CASE("an HPA that was there before the operator holds the very first decision") {
  World world;
  world.api.apply(kAutoscalers, autoscaler_of("web-hpa", "web"));
  world.deploy("web", 2, 2300);
  world.create_cache("web");
  world.start();
  world.eventually("the status names the autoscaler", [&] {
    return world.condition("web", "Contested") == "True HorizontalPodAutoscaler";
  });
  world.wait_for_looks(3);
  CHECK(world.scale_writes("web").empty());
}

TEST_CASE("an HPA on something else is none of our business") {
  World world;
  world.api.apply(kAutoscalers, autoscaler_of("other", "other"));
  world.run("web", 2, 300);
  world.fleet("web").set_load(2300);
  world.wait_for_replicas("web", 10);
  CHECK(world.condition("web", "Contested") == "False SoleWriter");
}

TEST_CASE("an operator that may not read autoscalers works without them") {
  World world;
  ApiFault fault;
  fault.target_contains = kAutoscalers;
  fault.status = 403;
  world.api.fail(fault);
  world.run("web", 2, 300);
  world.fleet("web").set_load(2300);
  world.wait_for_replicas("web", 10);
}

TEST_CASE("what the baseline's ready pods carry is no demand on the target") {
  World world;
  world.deploy("edge", 3, 0);
  world.run("web", 2, 300,
            {{"baseline",
              {{"selector", {{"matchLabels", {{"app", "edge"}}}}}, {"requestsPerReplica", 300}}},
             {"signals", Json::array({{{"name", "requests"},
                                       {"query", "sum(rate(web_requests_total[$window]))"},
                                       {"includesBaseline", true},
                                       {"requestsPerReplica", 200}}})}});
  CHECK(world.api.count("GET", "labelSelector=app%3Dedge") > 0);
  world.fleet("web").set_load(2300);  // of which the three carry 900
  world.wait_for_replicas("web", 7);
  world.wait_for_looks(5);
  CHECK(world.replicas("web") == 7);
  world.api.scale_by_hand("deployments", key("edge"), 1);
  world.wait_for_replicas("web", 10);
}

TEST_CASE("a ScaledCache that wants its count back is held until the target has it") {
  const auto finalizers_of = [](const World& world) {
    const auto cache = world.api.objects().find("scaledcaches", key("web"));
    REQUIRE(cache);
    return (*cache)["metadata"].value("finalizers", Json::array());
  };
  World world;
  world.run("web", 3, 300, {{"restoreReplicasOnDelete", true}, {"cooldown", "1h"}});
  world.eventually("the finalizer stands", [&] {
    return finalizers_of(world) == Json::array({"scaledcache.io/restore-replicas"});
  });
  world.fleet("web").set_load(1500);
  world.wait_for_replicas("web", 8);
  world.eventually("the status knows",
                   [&] { return world.status("web").value("originalReplicas", 0) == 3; });
  (void)world.api.objects().update("scaledcaches", key("web"), [](Json cache) {
    cache["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
    return KubeAnswer{200, std::move(cache)};
  });
  world.wait_for_replicas("web", 3);
  world.eventually("the finalizer is gone", [&] { return finalizers_of(world).empty(); });
  world.fleet("web").set_load(100);
  CHECK(world.replicas("web") == 3);
}

}  // namespace scaledcache::loopback
