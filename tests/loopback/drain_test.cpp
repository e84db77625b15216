// How a fleet shrinks without losing a request: drained pod by pod, cancelled for nothing, and
// resumed or undone after a crash at any point.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "loopback/world.h"

namespace scaledcache::loopback {
namespace {

constexpr const char* kMark = "scaledcache.io/drain";
constexpr const char* kCost = "controller.kubernetes.io/pod-deletion-cost";

// A ScaledCache whose pods are warmed and drained: four pods at 700 req/s.
Json drained(const World& world, const std::string& period, const Json& changes = Json::object()) {
  Json spec = world.warmup();
  spec["drain"] = {{"mode", "Gate"}, {"period", period}};
  spec["scaleDown"] = {{"stepPercent", 25}};
  spec.merge_patch(changes);
  return spec;
}

std::string annotation(const Json& pod, const char* name) {
  return pod["metadata"].value("annotations", Json::object()).value(name, "");
}

std::vector<std::string> marked_pods(const World& world) {
  std::vector<std::string> marked;
  for (const Json& pod : world.pods("web")) {
    if (!annotation(pod, kMark).empty()) {
      marked.push_back(pod["metadata"]["name"]);
    }
  }
  return marked;
}

// How many pods are being drained: marked, and out of the Service.
std::size_t drained_pods(const World& world) {
  const auto marked = marked_pods(world);
  return static_cast<std::size_t>(
      std::count_if(marked.begin(), marked.end(),
                    [&](const std::string& name) { return world.gate(name) == "False Draining"; }));
}

bool is_clean(const World& world) {
  return marked_pods(world).empty() && world.status("web").value("drains", Json()).is_null() &&
         world.ready_pods("web") == world.replicas("web");
}

std::size_t events(const World& world, const std::string& reason) {
  const auto all = world.api.objects().all("events");
  return static_cast<std::size_t>(std::count_if(
      all.begin(), all.end(), [&](const Json& event) { return event["reason"] == reason; }));
}

void run_gated(World& world,
               int replicas,
               double load,
               const std::string& period,
               const Json& changes = Json::object()) {
  world.deploy_gated("web", replicas, load);
  world.create_cache("web", drained(world, period, changes));
  world.start();
  world.wait_until_ready("web");
  world.eventually("all pods are Ready", [&] { return world.ready_pods("web") == replicas; });
  world.wait_for_looks(2);
}

// Runs until one pod of four is out of the Service, with a period that no test sees the end of.
void begin_drain(World& world, const Json& changes = Json::object()) {
  world.scrapes_unready = false;
  run_gated(world, 4, 700, "1h", changes);
  world.fleet("web").set_load(500);
  world.eventually("a pod is drained", [&] { return drained_pods(world) == 1; });
}

void annotate(World& world, const char* plural, const std::string& object, const Json& changes) {
  world.api.objects().update(plural, key(object), [&](Json found) {
    found["metadata"]["annotations"].merge_patch(changes);
    return KubeAnswer{200, std::move(found)};
  });
}

// Where in `writes` the first one is whose path ends like this; -1 where there is none.
int first_write(const std::vector<ApiWrite>& writes,
                const std::function<bool(const ApiWrite&)>& is) {
  const auto at = std::find_if(writes.begin(), writes.end(), is);
  return at == writes.end() ? -1 : static_cast<int>(at - writes.begin());
}

bool is_intent(const ApiWrite& write) {
  return write.path.ends_with("/scaledcaches/web/status") &&
         write.body.dump().find("/status/drains") != std::string::npos;
}

bool is_mark(const ApiWrite& write) {
  return write.path.find("/pods/") != std::string::npos && !write.path.ends_with("/status");
}

bool is_closing(const ApiWrite& write) {
  return write.path.find("/pods/") != std::string::npos && write.path.ends_with("/status") &&
         write.body["status"]["conditions"][0]["reason"] == "Draining";
}

bool is_lowering(const ApiWrite& write) {
  return write.path.ends_with("/deployments/web/scale");
}

}  // namespace

TEST_CASE("four gated pods become two one by one, and none goes while it serves") {
  World world;
  world.scrapes_unready = false;  // the period alone decides
  run_gated(world, 4, 700, "2s");
  world.fleet("web").set_load(300);
  world.wait_for_replicas("web", 2);
  world.eventually("nothing is left over", [&] { return is_clean(world); });
  CHECK(world.obeyed_steps("web") == "4>3, 3>2");
  CHECK(world.api.workloads().went_while_serving().empty());
  world.eventually("both are told", [&] {
    return events(world, "DrainStarted") == 2 && events(world, "ScaledDown") == 2;
  });
  CHECK(events(world, "UnexpectedVictim") == 0);
  world.eventually("both are counted", [&] {
    return world.process()
               .get("/metrics")
               .find("scaledcache_drains_total{result=\"Completed\"} 2") != std::string::npos;
  });

  const auto writes = world.api.writes();
  const int intent = first_write(writes, is_intent);
  const int mark = first_write(writes, is_mark);
  const int closing = first_write(writes, is_closing);
  REQUIRE(intent >= 0);
  CHECK(intent < mark);
  CHECK(mark < closing);
  CHECK(closing < first_write(writes, is_lowering));
  const ApiWrite& marking = writes[static_cast<std::size_t>(mark)];
  CHECK(marking.media_type == "application/merge-patch+json");
  CHECK(marking.body["metadata"].contains("uid"));
  CHECK(marking.body["metadata"]["annotations"][kCost] == "-1000");
  const ApiWrite& close = writes[static_cast<std::size_t>(closing)];
  CHECK(close.media_type == "application/strategic-merge-patch+json");
  CHECK(close.body["metadata"]["uid"] == marking.body["metadata"]["uid"]);
  CHECK(close.body["status"]["conditions"].size() == 1);
}

TEST_CASE("a pod whose traffic is gone is not waited for longer") {
  World world;
  run_gated(world, 4, 700, "1h");
  world.fleet("web").set_load(500);
  world.wait_for_replicas("web", 3);
  CHECK(world.api.workloads().went_while_serving().empty());
}

TEST_CASE("demand that returns cancels the drain: the same pods serve, and nothing was lowered") {
  World world;
  begin_drain(world);
  const auto before = world.pod_names("web");
  world.fleet("web").set_load(780);
  world.eventually("it serves again", [&] { return is_clean(world); });
  CHECK(world.pod_names("web") == before);
  CHECK(world.scale_steps("web").empty());
  world.eventually("it is told", [&] { return events(world, "DrainCancelled") == 1; });
  for (const std::string& name : before) {
    CHECK(world.gate(name) == "True CacheWarm");
  }
}

TEST_CASE("a surge cancels the drain first, and grows in the same look") {
  World world;
  begin_drain(world);
  const auto before = world.pod_names("web");
  world.fleet("web").set_load(1500);
  world.wait_for_replicas("web", 8);
  world.eventually("all serve", [&] { return is_clean(world) && world.ready_pods("web") == 8; });
  CHECK(world.obeyed_steps("web") == "4>8");
  const auto after = world.pod_names("web");
  for (const std::string& name : before) {
    CHECK(std::find(after.begin(), after.end(), name) != after.end());
  }
}

// kill -9 with a request under way, then the same binary again: one step down in the end, by a pod
// that did not serve, and nothing left over.
void survive(const std::function<void(World&)>& reach) {
  World world;
  world.scrapes_unready = false;
  run_gated(world, 4, 700, "2s");
  reach(world);
  world.process().kill();
  world.api.clear_faults();
  world.restart();
  world.wait_for_replicas("web", 3);
  world.eventually("nothing is left over", [&] { return is_clean(world); });
  world.wait_for_looks(3);
  CHECK(world.obeyed_steps("web") == "4>3");
  CHECK(world.api.workloads().went_while_serving().empty());
}

// Lets requests of this kind hang, lowers the load, and waits until one of them came.
void hang(World& world, ApiFault::Kind kind, const char* target, const char* and_contains = "") {
  world.api.fail(
      {.kind = kind, .method = "PATCH", .target_contains = target, .and_contains = and_contains});
  const std::size_t before = world.api.count("PATCH", target);
  world.fleet("web").set_load(500);
  world.eventually("the write is under way",
                   [&] { return world.api.count("PATCH", target) > before; });
}

TEST_CASE("a crash once the intent is written") {
  survive([](World& world) { hang(world, ApiFault::Kind::Stall, "/namespaces/shop/pods/"); });
}

TEST_CASE("a crash while the intent is written: done, and never answered") {
  survive([](World& world) {
    hang(world, ApiFault::Kind::ApplyThenStall, "/scaledcaches/web/status");
  });
}

TEST_CASE("a crash once the pod is marked") {
  survive([](World& world) {
    world.api.fail({.kind = ApiFault::Kind::Stall,
                    .method = "PATCH",
                    .target_contains = "/namespaces/shop/pods/",
                    .and_contains = "/status"});
    world.fleet("web").set_load(500);
    world.eventually("a pod is marked", [&] { return !marked_pods(world).empty(); });
  });
}

TEST_CASE("a crash once the gate is closed") {
  survive([](World& world) {
    world.api.fail({.kind = ApiFault::Kind::ApplyThenStall,
                    .method = "PATCH",
                    .target_contains = "/namespaces/shop/pods/",
                    .and_contains = "/status"});
    world.fleet("web").set_load(500);
    world.eventually("a pod is out", [&] { return drained_pods(world) == 1; });
  });
}

TEST_CASE("a crash while a pod is waited for") {
  survive([](World& world) {
    world.fleet("web").set_load(500);
    world.eventually("a pod is out", [&] { return drained_pods(world) == 1; });
  });
}

TEST_CASE("a crash once the count is lowered, before anybody was told") {
  survive([](World& world) {
    hang(world, ApiFault::Kind::ApplyThenStall, "/deployments/web/scale");
    world.wait_for_replicas("web", 3);
  });
}

TEST_CASE("a crash after the count is lowered, while the pod still lives") {
  survive([](World& world) {
    world.fleet("web").set_load(500);
    world.eventually("a pod is out", [&] { return drained_pods(world) == 1; });
    world.api.workloads().hold(true);
    world.wait_for_replicas("web", 3);
    world.process().kill();
    world.api.workloads().hold(false);
    world.api.workloads().reconcile("deployments", key("web"));
  });
}

TEST_CASE("another writer of the deletion cost is left alone: the gate decides") {
  World world;
  world.scrapes_unready = false;
  run_gated(world, 4, 700, "2s");
  for (const std::string& name : world.pod_names("web")) {
    annotate(world, "pods", name, {{kCost, "-7"}});
  }
  world.wait_for_looks(2);
  world.fleet("web").set_load(500);
  world.wait_for_replicas("web", 3);
  world.eventually("nothing is left over", [&] { return is_clean(world); });
  CHECK(world.api.workloads().went_while_serving().empty());
  for (const ApiWrite& write : world.api.writes()) {
    CHECK((!is_mark(write) || !write.body["metadata"]["annotations"].contains(kCost)));
  }
  for (const Json& pod : world.pods("web")) {
    CHECK(annotation(pod, kCost) == "-7");
  }
}

TEST_CASE("another pod than the drained one went: that is told, and the drained one serves again") {
  World world;
  world.scrapes_unready = false;
  run_gated(world, 4, 700, "3s");
  world.fleet("web").set_load(500);
  world.eventually("a pod is out", [&] { return drained_pods(world) == 1; });
  const std::string drained_pod = marked_pods(world).front();
  const auto all = world.pod_names("web");
  const std::string other = all.front() == drained_pod ? all.back() : all.front();
  world.api.workloads().doom(other);
  world.wait_for_replicas("web", 3);
  world.eventually("it is told", [&] { return events(world, "UnexpectedVictim") == 1; });
  world.eventually("all serve", [&] { return is_clean(world); });
  CHECK(world.gate(drained_pod) == "True CacheWarm");
  CHECK(world.obeyed_steps("web") == "4>3");
}

TEST_CASE("a rollout ends the drain, and nothing shrinks before it is over") {
  World world;
  begin_drain(world);
  world.api.objects().update("deployments", key("web"), [](Json object) {
    object["spec"]["template"]["metadata"]["labels"]["version"] = "2";
    return KubeAnswer{200, std::move(object)};
  });
  world.eventually("all serve", [&] { return is_clean(world); });
  world.wait_for_looks(3);
  CHECK(world.reason("web") == "RolloutInProgress");
  CHECK(world.scale_steps("web").empty());
}

TEST_CASE("what undoes every drain") {
  World world;
  begin_drain(world);
  const std::string name = marked_pods(world).front();
  const auto undone = [&] {
    return marked_pods(world).empty() && world.gate(name).starts_with("True") &&
           world.ready_pods("web") == 4;
  };
  SUBCASE("a pause") {
    annotate(world, "scaledcaches", "web", {{"scaledcache.io/paused", "true"}});
    world.eventually("it serves again", undone);
  }
  SUBCASE("the end of the ScaledCache") {
    world.api.objects().remove("scaledcaches", key("web"));
    world.eventually("it serves again", undone);
  }
  SUBCASE("the end of the ScaledCache while no operator runs") {
    world.process().kill();
    world.api.objects().remove("scaledcaches", key("web"));
    world.restart();
    world.eventually("it serves again", undone);
  }
  SUBCASE("draining is switched off") {
    world.create_cache("web", drained(world, "1h",
                                      {{"drain", {{"mode", "Off"}}},
                                       {"scaleDown", {{"stepPercent", 25}}},
                                       {"minReplicas", 4}}));
    world.eventually("it serves again", undone);
  }
  CHECK(world.scale_steps("web").empty());
}

TEST_CASE("a target deleted in mid-drain is forgotten, and the next of its name begins anew") {
  World world;
  begin_drain(world);
  world.api.objects().remove("deployments", key("web"));
  for (const std::string& pod : world.pod_names("web")) {
    world.api.objects().remove("pods", key(pod));
  }
  world.eventually("it is told",
                   [&] { return world.condition("web", "Ready") == "False TargetNotFound"; });
  world.deploy_gated("web", 3, 500);
  world.wait_until_ready("web");
  world.wait_for_looks(3);
  world.eventually("nothing is left over", [&] { return is_clean(world); });
  CHECK(world.scale_steps("web").empty());
}

TEST_CASE("above the maximum pods are drained too, a step at a time, and go after the period") {
  World world;
  world.scrapes_unready = false;
  run_gated(world, 4, 700, "2s", {{"minReplicas", 1}, {"maxReplicas", 4}});
  world.create_cache("web", drained(world, "2s", {{"minReplicas", 1}, {"maxReplicas", 2}}));
  world.wait_for_replicas("web", 2);
  CHECK(world.obeyed_steps("web") == "4>3, 3>2");
  CHECK(world.api.workloads().went_while_serving().empty());
}

TEST_CASE("a StatefulSet gives up its highest ordinal, drained") {
  World world;
  world.scrapes_unready = false;
  world.fleet("web").set_load(700);
  world.api.apply("statefulsets", with_gate(workload_manifest(kNamespace, "web", 4), 8080));
  world.create_cache("web", {{"scaleTargetRef", {{"kind", "StatefulSet"}}},
                             {"drain", {{"mode", "Gate"}, {"period", "2s"}}},
                             {"scaleDown", {{"stepPercent", 25}}}});
  world.start();
  world.wait_until_ready("web");
  world.eventually("all pods are Ready", [&] { return world.ready_pods("web") == 4; });
  world.fleet("web").set_load(500);
  world.eventually("three are left", [&] {
    return world.pod_names("web") == std::vector<std::string>{"web-0", "web-1", "web-2"};
  });
  CHECK(world.api.workloads().went_while_serving().empty());
  CHECK(events(world, "DrainStarted") == 1);
}

TEST_CASE("pods without the gate cannot be drained: the count falls at once, and that is said") {
  World world;
  world.run("web", 4, 700, {{"drain", {{"mode", "Gate"}}}, {"scaleDown", {{"stepPercent", 25}}}});
  world.fleet("web").set_load(500);
  world.wait_for_replicas("web", 3);
  CHECK(world.obeyed_steps("web") == "4>3");
  world.eventually("it is said", [&] {
    for (const Json& event : world.api.objects().all("events")) {
      if (event["reason"] == "ScaledDown" &&
          event["note"].get<std::string>().find("do not carry the readiness gate") !=
              std::string::npos) {
        return true;
      }
    }
    return false;
  });
}

}  // namespace scaledcache::loopback
