// The warm gate with the real binary: pods join when their cache was proven, and never later than
// their limit allows.
#include <algorithm>

#include <doctest/doctest.h>

#include "loopback/world.h"

namespace scaledcache::loopback {
namespace {

std::string name_of(const Json& pod) {
  return pod["metadata"]["name"];
}

std::string address_of(const Json& pod) {
  return pod["status"]["podIP"];
}

// What the operator wrote into the gate of a pod, in order: "False ContainerRestarted, True …".
std::string gate_writes(const World& world, const std::string& pod) {
  std::string text;
  for (const ApiWrite& write : world.api.writes()) {
    if (write.path.ends_with("/pods/" + pod + "/status") && write.status == 200) {
      const Json& condition = write.body["status"]["conditions"][0];
      text += (text.empty() ? "" : ", ") + condition["status"].get<std::string>() + " " +
              condition["reason"].get<std::string>();
    }
  }
  return text;
}

bool has_event(const World& world, const std::string& reason, const std::string& pod) {
  const auto events = world.api.objects().all("events");
  return std::any_of(events.begin(), events.end(), [&](const Json& event) {
    return event["reason"] == reason && event.value("note", "").starts_with(pod);
  });
}

// A fleet of `replicas` that are warm already, and an operator that looks after it.
void run_gated(World& world,
               int replicas,
               const Json& warmup = Json::object(),
               const Json& changes = Json::object()) {
  world.deploy_gated("web", replicas, 150.0 * replicas);
  Json spec = world.warmup(warmup);
  spec["cooldown"] = "1h";  // nothing shrinks
  spec.merge_patch(changes);
  world.create_cache("web", spec);
  world.start();
  world.wait_until_ready("web");
  world.eventually("all are warm",
                   [&] { return world.condition("web", "Warm") == "True AllWarm"; });
}

// One more pod, which stays cold since no cache answers.
std::string add_cold_pod(World& world) {
  world.caches().stall(true);
  const std::size_t before = world.pods("web").size();
  world.api.scale_by_hand("deployments", key("web"), static_cast<int>(before) + 1);
  return name_of(world.pods("web").back());
}

}  // namespace

TEST_CASE("gate: new pods take no traffic before their cache is proven warm") {
  World world;
  run_gated(world, 2);
  world.fleet("web").set_load(900);
  world.wait_for_replicas("web", 5);
  world.eventually("all five are Ready", [&] { return world.ready_pods("web") == 5; });
  for (const Json& pod : world.pods("web")) {
    CHECK(world.gate(name_of(pod)) == "True CacheWarm");
    CHECK(world.caches().requests(address_of(pod)) >= 12);  // six pages, each fetched and proven
  }
  CHECK(world.caches().last_host() == "shop.example");
  world.eventually("the status tells", [&] {
    return world.status("web").value("warmReplicas", 0) == 5 &&
           world.condition("web", "Warm") == "True AllWarm";
  });
  const std::string youngest = name_of(world.pods("web").back());
  CHECK(gate_writes(world, youngest) == "True CacheWarm");
  world.eventually("the event is there", [&] { return has_event(world, "PodWarm", youngest); });
  CHECK(world.status("web")["pods"].size() == 5);
}

TEST_CASE("gate: only our condition is written, for the pod that was seen") {
  World world;
  run_gated(world, 2);
  world.fleet("web").set_load(700);
  world.eventually("all four are Ready", [&] { return world.ready_pods("web") == 4; });
  int writes = 0;
  for (const ApiWrite& write : world.api.writes()) {
    if (write.path.find("/pods/") == std::string::npos) {
      continue;
    }
    ++writes;
    CHECK(write.media_type == "application/strategic-merge-patch+json");
    CHECK(write.field_manager == "scaledcache-gate");
    CHECK(write.body["metadata"].size() == 1);
    CHECK(write.body["metadata"].contains("uid"));
    CHECK(write.body["status"]["conditions"].size() == 1);
    CHECK(write.body["status"]["conditions"][0]["type"] == "scaledcache.io/cache-warm");
  }
  CHECK(writes == 2);
}

TEST_CASE("gate: a restart of the container closes the gate until the cache is warm again") {
  World world;
  run_gated(world, 2);
  const Json pod = world.pods("web").front();
  world.eventually("the operator has proven it",
                   [&] { return world.caches().requests(address_of(pod)) >= 12; });
  world.caches().forget(address_of(pod));
  world.api.workloads().restart_container(key(name_of(pod)));
  world.eventually("closed, then open again", [&] {
    const std::string writes = gate_writes(world, name_of(pod));
    return writes.find("False ") != std::string::npos && writes.ends_with("True CacheWarm");
  });
  world.eventually("the event is there",
                   [&] { return has_event(world, "PodColdAgain", name_of(pod)); });
  world.eventually("both serve", [&] { return world.ready_pods("web") == 2; });
}

TEST_CASE("gate: a cache that lost its content inside its container is found by probes") {
  World world;
  run_gated(world, 2);
  const Json pod = world.pods("web").front();
  world.eventually("it is probed", [&] { return world.caches().requests(address_of(pod)) >= 14; });
  world.caches().forget(address_of(pod));
  world.eventually("closed, and open again", [&] {
    const std::string writes = gate_writes(world, name_of(pod));
    return writes.find("False ProbesMissed") != std::string::npos &&
           writes.ends_with("True CacheWarm");
  });
}

TEST_CASE("gate: the last pod that serves goes on serving, cold or not") {
  World world;
  run_gated(world, 1, Json::object(), {{"minReplicas", 1}});
  const Json pod = world.pods("web").front();
  world.eventually("the operator has proven it",
                   [&] { return world.caches().requests(address_of(pod)) >= 12; });
  world.caches().forget(address_of(pod));
  world.api.workloads().restart_container(key(name_of(pod)));
  world.eventually("proven once more", [&] {
    const std::string writes = gate_writes(world, name_of(pod));
    return writes.find("True LastReadyPod") != std::string::npos &&
           writes.ends_with("True CacheWarm");
  });
  CHECK(gate_writes(world, name_of(pod)).find("False") == std::string::npos);
}

TEST_CASE("gate: deleting the ScaledCache opens every gate, and so does a start without one") {
  for (const bool operator_is_down : {false, true}) {
    CAPTURE(operator_is_down);
    World world;
    run_gated(world, 2, {{"onTimeout", "Hold"}});
    const std::string pod = add_cold_pod(world);
    world.eventually("it is being warmed",
                     [&] { return world.status("web").value("warming", 0) == 1; });
    if (operator_is_down) {
      world.process().kill();
    }
    world.api.objects().remove("scaledcaches", key("web"));
    if (operator_is_down) {
      world.restart();
    }
    world.eventually("it is open", [&] { return world.gate(pod) == "True NotManaged"; });
    world.eventually("all serve", [&] { return world.ready_pods("web") == 3; });
  }
}

TEST_CASE("gate: a pause opens every gate") {
  World world;
  run_gated(world, 2, {{"onTimeout", "Hold"}});
  const std::string pod = add_cold_pod(world);
  world.eventually("it is being warmed",
                   [&] { return world.status("web").value("warming", 0) == 1; });
  world.api.apply("scaledcaches",
                  {{"metadata",
                    {{"namespace", kNamespace},
                     {"name", "web"},
                     {"annotations", {{"scaledcache.io/paused", "true"}}}}},
                   {"spec", world.spec_of("web", world.warmup({{"onTimeout", "Hold"}}))}});
  world.eventually("it is open", [&] { return world.gate(pod) == "True Paused"; });
}

TEST_CASE("gate: what is not proven in time is opened, with that reason") {
  World world;
  run_gated(world, 2, {{"timeout", "1s"}});
  const std::string pod = add_cold_pod(world);
  world.eventually("it is open", [&] { return world.gate(pod) == "True WarmupTimeout"; });
  world.eventually("the status tells",
                   [&] { return world.condition("web", "Warm") == "False WarmupTimeout"; });
  CHECK(has_event(world, "WarmupTimeout", pod));
}

TEST_CASE("gate: a list of which nothing can be cached holds nobody up") {
  World world;
  run_gated(world, 2);
  world.caches().set_cacheable(false);
  world.api.scale_by_hand("deployments", key("web"), 3);
  const std::string pod = name_of(world.pods("web").back());
  world.eventually("it is open", [&] { return world.gate(pod) == "True UncacheableList"; });
}

TEST_CASE("gate: pods without it are reported and left alone") {
  World world;
  world.deploy("web", 2, 300);
  world.create_cache("web", {{"warmup",
                              {{"mode", "Gate"},
                               {"port", 8080},
                               {"hostHeader", "shop.example"},
                               {"paths", Json::array({"/"})}}}});
  world.start();
  world.wait_until_ready("web");
  CHECK(world.condition("web", "Warm") == "False UngatedPods");
  CHECK(world.status("web")["pods"][0]["state"] == "Ungated");
  CHECK(world.api.count("PATCH", "/pods/") == 0);
}

}  // namespace scaledcache::loopback
