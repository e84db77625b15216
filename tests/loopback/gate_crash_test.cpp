// The operator ends without warning at each step of the gate: the next one goes on, and no pod
// stays behind its gate.
#include <functional>

#include <doctest/doctest.h>

#include "loopback/world.h"

namespace scaledcache::loopback {
namespace {

// One step of the walk at which the operator is killed.
struct Step {
  const char* name;
  // Makes a third pod, and waits until the operator is at this step with it.
  std::function<void(World& world)> reach;
};

std::string third_pod(const World& world) {
  return world.pods("web").back()["metadata"]["name"];
}

std::string third_address(const World& world) {
  return world.pods("web").back()["status"]["podIP"];
}

void add_pod(World& world) {
  world.api.scale_by_hand("deployments", key("web"), 3);
}

void fail_gate_writes(World& world, ApiFault::Kind kind) {
  world.api.fail({.kind = kind, .method = "PATCH", .target_contains = "/pods/"});
}

const Step kSteps[] = {
    {"before it has seen the pod",
     [](World& world) {
       world.process().kill();
       add_pod(world);
     }},
    {"while it warms the pod",
     [](World& world) {
       world.caches().stall(true);
       add_pod(world);
       world.eventually("the cache is asked",
                        [&] { return world.caches().requests(third_address(world)) > 0; });
     }},
    {"before the patch is done",
     [](World& world) {
       fail_gate_writes(world, ApiFault::Kind::Stall);
       add_pod(world);
       world.eventually("the patch is under way", [&] {
         return world.api.count("PATCH", "/pods/" + third_pod(world) + "/status") > 0;
       });
     }},
    {"after the patch, before its answer",
     [](World& world) {
       fail_gate_writes(world, ApiFault::Kind::ApplyThenStall);
       add_pod(world);
       world.eventually("the gate is open",
                        [&] { return world.gate(third_pod(world)) == "True CacheWarm"; });
     }},
};

}  // namespace

TEST_CASE("gate: killed at any step, the next one opens the gate and closes none") {
  for (const Step& step : kSteps) {
    SUBCASE(step.name) {
      World world;
      world.deploy_gated("web", 2, 300);
      Json spec = world.warmup();
      spec["cooldown"] = "1h";  // the third pod stays
      world.create_cache("web", spec);
      world.start();
      world.wait_until_ready("web");
      world.eventually("all are warm",
                       [&] { return world.condition("web", "Warm") == "True AllWarm"; });
      step.reach(world);
      world.process().kill();
      world.api.clear_faults();
      world.caches().stall(false);
      world.restart();
      world.eventually("the third pod serves, proven warm", [&] {
        return world.ready_pods("web") == 3 && world.gate(third_pod(world)) == "True CacheWarm" &&
               world.status("web").value("warmReplicas", 0) == 3;
      });
      for (const ApiWrite& write : world.api.writes()) {
        if (write.path.find("/pods/") != std::string::npos) {
          CHECK(write.body["status"]["conditions"][0]["status"] == "True");
        }
      }
    }
  }
}

}  // namespace scaledcache::loopback
