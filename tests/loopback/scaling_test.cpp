// The main job on the wire: what is written, and that nothing else is.
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "loopback/world.h"

namespace scaledcache::loopback {
namespace {

// The patch of kubernetes.md, section 8: two tests, one change.
void check_scale_patch(const ApiWrite& write, const Json& uid, int from, int to) {
  CHECK(write.method == "PATCH");
  CHECK(write.path == "/apis/apps/v1/namespaces/shop/deployments/web/scale");
  CHECK(write.media_type == "application/json-patch+json");
  CHECK(write.field_manager == "scaledcache-operator");
  CHECK(write.status == 200);
  REQUIRE(write.body.is_array());
  REQUIRE(write.body.size() == 3);
  CHECK(write.body[0] == Json{{"op", "test"}, {"path", "/metadata/uid"}, {"value", uid}});
  CHECK(write.body[1] == Json{{"op", "test"}, {"path", "/spec/replicas"}, {"value", from}});
  CHECK(write.body[2] == Json{{"op", "add"}, {"path", "/spec/replicas"}, {"value", to}});
}

std::vector<std::string> event_reasons(const World& world) {
  std::vector<std::string> reasons;
  for (const Json& event : world.api.objects().all("events")) {
    reasons.push_back(event["reason"]);
  }
  return reasons;
}

}  // namespace

TEST_CASE(
    "the founding story: 2 replicas become 8, then 10, and come back to 2 when the load goes") {
  World world;
  world.run("web", 2, 300);
  const Json uid = (*world.api.objects().find("deployments", key("web")))["metadata"]["uid"];

  world.fleet("web").set_load(2300);
  world.wait_for_replicas("web", 10);
  const auto writes = world.scale_writes("web");
  REQUIRE(writes.size() == 2);
  check_scale_patch(writes[0], uid, 2, 8);
  check_scale_patch(writes[1], uid, 8, 10);
  world.eventually("the status tells of ten", [&] {
    return world.status("web").value("replicas", 0) == 10 && world.reason("web") == "AtMaximum" &&
           world.condition("web", "ScalingLimited") == "True AtMaximum";
  });
  CHECK(world.status("web")["desiredReplicas"] == 10);
  CHECK(world.status("web")["observedGeneration"] == 1);

  world.fleet("web").set_load(100);
  world.wait_for_replicas("web", 2);
  world.eventually("both directions are told as events", [&] {
    const auto reasons = event_reasons(world);
    return std::count(reasons.begin(), reasons.end(), "ScaledUp") == 2 &&
           std::count(reasons.begin(), reasons.end(), "ScaledDown") >= 1;
  });
  for (const ApiRequest& request : world.api.requests()) {
    CHECK(request.user_agent.starts_with("scaledcache/"));
  }
}

TEST_CASE("a StatefulSet is scaled as a Deployment is") {
  World world;
  world.fleet("web").set_load(300);
  world.api.apply("statefulsets", workload_manifest(kNamespace, "web", 2));
  world.create_cache("web", {{"scaleTargetRef", {{"kind", "StatefulSet"}}}});
  world.start();
  world.wait_until_ready("web");
  world.fleet("web").set_load(900);
  world.eventually("five", [&] {
    return (*world.api.objects().find("statefulsets", key("web")))["spec"]["replicas"] == 5;
  });
}

TEST_CASE("steady state under noise writes nothing, and a change right after it is answered") {
  World world;
  world.deploy("web", 8, 1500);
  world.fleet("web").set_noise(0.03);
  world.create_cache("web");
  world.start();
  world.wait_until_ready("web");
  world.wait_for_looks(5);  // conditions and measured values settle
  const std::size_t before = world.api.writes().size();
  world.wait_for_looks(10);
  const auto writes = world.api.writes();
  for (std::size_t i = before; i < writes.size(); ++i) {
    FAIL_CHECK("written in steady state: ", writes[i].path, " ", dump_json(writes[i].body));
  }
  world.fleet("web").set_load(1900);
  world.wait_for_replicas("web", 10);
  CHECK(world.scale_steps("web") == "8>10");
}

TEST_CASE("from 0 a merge patch with UID and version sets the count, since there is none to test") {
  World world;
  world.deploy("web", 0, 0);
  world.create_cache("web",
                     {{"minReplicas", 0},
                      {"signals", Json::array({{{"name", "requests"},
                                                {"query", "sum(rate(web_requests_total[$window]))"},
                                                {"requestsPerReplica", 200}}})}});
  world.start();
  world.eventually("a look at nothing", [&] { return world.reason("web") != ""; });
  CHECK(world.scale_writes("web").empty());
  const Json before = *world.api.objects().find("deployments", key("web"));
  world.fleet("web").set_load(900);
  world.wait_for_replicas("web", 5);
  const auto writes = world.scale_writes("web");
  REQUIRE(writes.size() == 1);
  CHECK(writes[0].media_type == "application/merge-patch+json");
  CHECK(writes[0].body == Json{{"metadata",
                                {{"uid", before["metadata"]["uid"]},
                                 {"resourceVersion", before["metadata"]["resourceVersion"]}}},
                               {"spec", {{"replicas", 5}}}});
}

TEST_CASE("a dry run decides and reports, and writes nothing to the target") {
  World world;
  world.run("web", 2, 300, {{"dryRun", true}});
  world.fleet("web").set_load(2300);
  world.eventually("it would have ten",
                   [&] { return world.status("web").value("desiredReplicas", 0) == 10; });
  CHECK(world.replicas("web") == 2);
  CHECK(world.scale_writes("web").empty());
  CHECK(world.condition("web", "Paused") == "True DryRun");
}

TEST_CASE("the paused annotation stops writes to the target, and its end lets them go on") {
  World world;
  world.run("web", 2, 300);
  const auto annotate = [&](const Json& annotations) {
    world.api.objects().update("scaledcaches", key("web"), [&](Json object) {
      object["metadata"]["annotations"] = annotations;
      return KubeAnswer{200, std::move(object)};
    });
  };
  annotate({{"scaledcache.io/paused", "true"}});
  world.eventually("Paused", [&] { return world.condition("web", "Paused") == "True Annotation"; });
  world.fleet("web").set_load(2300);
  world.wait_for_looks(3);
  CHECK(world.scale_steps("web").empty());
  annotate(Json::object());
  world.wait_for_replicas("web", 10);
}

TEST_CASE("a deleted ScaledCache is forgotten: no more queries, writes or series") {
  World world;
  world.run("web", 2, 300);
  world.api.objects().remove("scaledcaches", key("web"));
  world.eventually("its series are gone from /metrics", [&] {
    const std::string metrics = world.process().get("/metrics");
    return !metrics.empty() && metrics.find("name=\"web\"") == std::string::npos;
  });
  world.fleet("web").set_load(2300);
  world.deploy("other", 2, 900);
  world.create_cache("other");
  world.wait_for_replicas("other", 5);
  const auto texts = world.backend.texts();
  CHECK(texts.back().find("other_requests_total") != std::string::npos);
  CHECK(world.scale_steps("web").empty());
}

TEST_CASE("the operator tells of itself: health, readiness, metrics, and logs in JSON") {
  World world;
  world.run("web", 2, 300);
  CHECK(world.process().status_of("/healthz") == 200);
  CHECK(world.process().status_of("/readyz") == 200);
  CHECK(world.process().status_of("/nonsense") == 404);
  const std::string metrics = world.process().get("/metrics");
  for (const char* part : {"scaledcache_current_replicas{name=\"web\",namespace=\"shop\"} 2",
                           "scaledcache_decisions_total{reason=\"Grow\"} 0",
                           "scaledcache_errors_total{code=\"Timeout\"} 0",
                           "scaledcache_api_writes_total{kind=\"scale\"} 0",
                           "scaledcache_backend_query_duration_seconds",
                           "scaledcache_watch_age_seconds", "scaledcache_queue_depth"}) {
    CHECK_MESSAGE(metrics.find(part) != std::string::npos, part);
  }
  world.fleet("web").set_load(900);
  world.wait_for_replicas("web", 5);
  world.eventually("the decision is in the log, with what it was made from", [&] {
    for (const Json& line : world.process().logged("decision")) {
      if (line.value("to", 0) == 5 && line.value("from", 0) == 2) {
        return line.value("key", "") == key("web") && line.value("reason", "") == "Grow" &&
               line.contains("inputs") && line["signals"][0].contains("short");
      }
    }
    return false;
  });
  for (const std::string& line : world.process().output()) {
    CHECK_MESSAGE(Json::accept(line), line);
  }
}

}  // namespace scaledcache::loopback
