#include "k8s/workload.h"

#include <doctest/doctest.h>

#include "base/rfc3339.h"

namespace scaledcache::k8s {
namespace {

Json deployment() {
  return Json::parse(R"({
    "metadata": {"name": "varnish", "namespace": "blog", "uid": "d-1", "generation": 4,
      "annotations": {"deployment.kubernetes.io/revision": "3"},
      "managedFields": [
        {"manager": "kubectl-client-side-apply", "operation": "Update",
         "time": "2026-01-01T00:00:00Z", "fieldsV1": {"f:spec": {"f:replicas": {}}}},
        {"manager": "scaledcache-operator", "operation": "Update", "subresource": "scale",
         "time": "2026-01-01T00:05:00Z", "fieldsV1": {"f:spec": {"f:replicas": {}}}},
        {"manager": "kube-controller-manager", "subresource": "status",
         "time": "2026-01-01T00:09:00Z", "fieldsV1": {"f:status": {"f:replicas": {}}}}]},
    "spec": {"replicas": 5, "selector": {
      "matchLabels": {"app": "varnish", "tier": "cache"},
      "matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]},
                           {"key": "beta", "operator": "DoesNotExist"},
                           {"key": "env", "operator": "NotIn", "values": ["dev"]},
                           {"key": "team", "operator": "Exists"}]}},
    "status": {"observedGeneration": 4}
  })");
}

Workload decoded(const Json& object, const char* kind = "Deployment") {
  auto workload = decode_workload(object, "apps/v1", kind);
  REQUIRE(workload);
  return *workload;
}

Workload stateful_set() {
  return decoded(Json::parse(R"({
    "metadata": {"name": "cache", "namespace": "media", "uid": "s-1", "generation": 2},
    "spec": {"replicas": 4, "updateStrategy": {"rollingUpdate": {"partition": 3}}},
    "status": {"observedGeneration": 2, "updateRevision": "cache-9a", "updatedReplicas": 1}
  })"),
                 "StatefulSet");
}

Pod pod_of(const char* owner, const char* revision) {
  Pod pod;
  pod.name = std::string(owner) + revision;
  pod.owner = OwnerRef{"apps/v1", "ReplicaSet", "any", owner};
  pod.revision = revision;
  pod.phase = PodPhase::Running;
  return pod;
}

TEST_CASE("a Deployment is read whole") {
  const Workload workload = decoded(deployment());
  CHECK(workload.kind == "Deployment");
  CHECK(workload.api_version == "apps/v1");
  CHECK(workload.replicas == 5);
  CHECK(workload.observed_generation == 4);
  CHECK(workload.revision == "3");
  CHECK(workload.selector == "app=varnish,tier=cache,zone in (a,b),!beta,env notin (dev),team");
  CHECK_FALSE(workload.paused);
}

TEST_CASE("the newest manager of spec.replicas wrote it last") {
  CHECK(decoded(deployment()).replicas_writer ==
        ReplicasWriter{"scaledcache-operator", parse_time("2026-01-01T00:05:00Z")});
  Json object = deployment();
  object["metadata"].erase("managedFields");
  CHECK_FALSE(decoded(object).replicas_writer);
}

TEST_CASE("replicas that are absent count 1, and 0 counts 0") {
  Json object = deployment();
  object["spec"].erase("replicas");
  CHECK(decoded(object).replicas == 1);
  object["spec"]["replicas"] = 0;
  CHECK(decoded(object).replicas == 0);
}

TEST_CASE("replicas that are no count are an error of the protocol") {
  for (const Json& count : {Json(-1), Json("5"), Json(2.5), Json(2147483648), Json::object(),
                            Json(18446744073709551615U)}) {
    CAPTURE(dump_json(count));
    Json object = deployment();
    object["spec"]["replicas"] = count;
    const auto workload = decode_workload(object, "apps/v1", "Deployment");
    REQUIRE_FALSE(workload);
    CHECK(workload.error().code == ErrorCode::Protocol);
  }
}

TEST_CASE("any other field of a wrong type reads as absent") {
  for (const char* pointer :
       {"/status", "/status/observedGeneration", "/spec/selector", "/spec/selector/matchLabels",
        "/spec/selector/matchExpressions", "/metadata/annotations", "/metadata/managedFields",
        "/metadata/managedFields/1", "/metadata/managedFields/1/fieldsV1", "/spec/paused",
        "/spec/updateStrategy", "/status/conditions"}) {
    for (const Json& value : {Json(nullptr), Json(7), Json("x"), Json::array(), Json::object()}) {
      CAPTURE(pointer);
      Json object = deployment();
      object[Json::json_pointer(pointer)] = value;
      CHECK(decoded(object).replicas == 5);
    }
  }
}

TEST_CASE("pods belong by the UIDs of their owners, not by name") {
  const Workload target = decoded(deployment());
  Workload mine;
  mine.meta.uid = "rs-1";
  mine.owner = OwnerRef{"apps/v1", "Deployment", "varnish", "d-1"};
  Workload older_namesake;
  older_namesake.meta.uid = "rs-0";
  older_namesake.owner = OwnerRef{"apps/v1", "Deployment", "varnish", "d-0"};
  Workload orphan;
  orphan.meta.uid = "rs-9";
  Pod bare;
  bare.name = "varnish-bare";
  const std::vector<Pod> pods{pod_of("rs-1", "a"), pod_of("rs-0", "a"), pod_of("rs-9", "a"), bare,
                              pod_of("d-1", "b")};
  const std::vector<Pod> owned = owner_pods(target, {mine, older_namesake, orphan}, pods);
  REQUIRE(owned.size() == 2);
  CHECK(owned[0].name == "rs-1a");
  CHECK(owned[1].name == "d-1b");
}

TEST_CASE("a rollout is under way while the controller lags or two revisions live") {
  Workload target = decoded(deployment());
  const std::vector<Pod> same{pod_of("rs-1", "a"), pod_of("rs-1", "a")};
  std::vector<Pod> mixed{pod_of("rs-1", "a"), pod_of("rs-2", "b")};
  CHECK_FALSE(rollout_in_progress(target, {}));
  CHECK_FALSE(rollout_in_progress(target, same));
  CHECK(rollout_in_progress(target, mixed));

  SUBCASE("a Terminating pod does not count") {
    mixed[1].deleted = WallTime{};
    CHECK_FALSE(rollout_in_progress(target, mixed));
  }
  SUBCASE("a newer generation counts") {
    target.meta.generation = 5;
    CHECK(rollout_in_progress(target, same));
  }
  SUBCASE("a paused Deployment is no rollout") {
    target.paused = true;
    target.meta.generation = 5;
    CHECK_FALSE(rollout_in_progress(target, mixed));
  }
  SUBCASE("one that has given up is no rollout") {
    Json object = deployment();
    object["status"]["conditions"] = {
        {{"type", "Progressing"}, {"status", "False"}, {"reason", "ProgressDeadlineExceeded"}}};
    CHECK_FALSE(rollout_in_progress(decoded(object), mixed));
  }
}

TEST_CASE("the pods of a StatefulSet come and go in order unless it says Parallel") {
  CHECK(stateful_set().ordered_ready);
  Json object{{"metadata", {{"name", "cache"}, {"namespace", "media"}, {"uid", "s-1"}}},
              {"spec", {{"podManagementPolicy", "Parallel"}}}};
  CHECK_FALSE(decoded(object, "StatefulSet").ordered_ready);
  object["spec"].erase("podManagementPolicy");
  CHECK_FALSE(decoded(object, "Deployment").ordered_ready);
}

TEST_CASE("a StatefulSet rolls until its pods above the partition are updated") {
  Workload target = stateful_set();
  CHECK(target.revision == "cache-9a");
  CHECK(target.partition == 3);
  const std::vector<Pod> mixed{pod_of("s-1", "old"), pod_of("s-1", "new")};
  CHECK_FALSE(rollout_in_progress(target, mixed));
  target.partition = 2;
  CHECK(rollout_in_progress(target, mixed));
  target.on_delete = true;
  CHECK_FALSE(rollout_in_progress(target, mixed));
}

}  // namespace
}  // namespace scaledcache::k8s
