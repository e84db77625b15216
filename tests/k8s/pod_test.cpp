#include "k8s/pod.h"

#include <doctest/doctest.h>

#include "base/rfc3339.h"

namespace scaledcache::k8s {
namespace {

Json running_pod() {
  return Json::parse(R"({
    "metadata": {"name": "varnish-5d9c-x7k2p", "namespace": "blog", "uid": "p-1",
      "resourceVersion": "9", "labels": {"app": "varnish", "pod-template-hash": "5d9c"},
      "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "varnish-5d9c",
                           "uid": "rs-1", "controller": true}]},
    "spec": {"hostNetwork": true, "containers": [
      {"name": "varnish", "ports": [{"containerPort": 80}, {"containerPort": 8443}]},
      {"name": "exporter", "ports": [{"containerPort": 9131}]},
      {"name": "log"}]},
    "status": {"phase": "Running", "podIP": "10.244.0.7",
      "conditions": [
        {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-01-01T00:00:01Z"},
        {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:09Z"}],
      "containerStatuses": [
        {"name": "varnish", "containerID": "containerd://5",
         "state": {"running": {"startedAt": "2026-01-01T00:00:05Z"}}},
        {"name": "exporter", "containerID": "containerd://7",
         "state": {"running": {"startedAt": "2026-01-01T00:00:07Z"}}},
        {"name": "log", "state": {"waiting": {"reason": "CrashLoopBackOff"}}}]}
  })");
}

TEST_CASE("a running pod is read whole") {
  const auto pod = decode_pod(running_pod());
  REQUIRE(pod);
  CHECK(pod->name == "varnish-5d9c-x7k2p");
  CHECK(pod->name_space == "blog");
  CHECK(pod->owner == OwnerRef{"apps/v1", "ReplicaSet", "varnish-5d9c", "rs-1"});
  CHECK(pod->phase == PodPhase::Running);
  CHECK(pod->ready);
  CHECK(pod->ready_since == parse_time("2026-01-01T00:00:09Z"));
  CHECK_FALSE(pod->unready_since);
  CHECK(pod->container_started == parse_time("2026-01-01T00:00:07Z"));
  CHECK(pod->revision == "5d9c");
  CHECK(pod->pod_ip == "10.244.0.7");
  CHECK(pod->host_network);
  CHECK(pod->alive());
}

TEST_CASE("each container is known by its name, with what it declares and since when it runs") {
  const auto pod = decode_pod(running_pod());
  REQUIRE(pod);
  CHECK(pod->containers ==
        std::vector<Container>{
            {"exporter", "containerd://7", parse_time("2026-01-01T00:00:07Z"), {9131}},
            {"log", "", {}, {}},
            {"varnish", "containerd://5", parse_time("2026-01-01T00:00:05Z"), {80, 8443}}});
  CHECK(pod->declares(8443));
  CHECK_FALSE(pod->declares(8080));
}

TEST_CASE("a pod that became unready tells since when") {
  Json object = running_pod();
  object["status"]["conditions"][1]["status"] = "False";
  const auto pod = decode_pod(object);
  REQUIRE(pod);
  CHECK_FALSE(pod->ready);
  CHECK_FALSE(pod->ready_since);
  CHECK(pod->unready_since == parse_time("2026-01-01T00:00:09Z"));
}

TEST_CASE("the zone is told where the API server copies it from the node") {
  Json object = running_pod();
  CHECK(decode_pod(object)->zone.empty());
  object["metadata"]["labels"]["topology.kubernetes.io/zone"] = "z1";
  CHECK(decode_pod(object)->zone == "z1");
}

TEST_CASE("a pod of a StatefulSet carries its revision in another label") {
  Json object = running_pod();
  object["metadata"]["labels"] = {{"controller-revision-hash", "cache-7f"}};
  CHECK(decode_pod(object)->revision == "cache-7f");
}

TEST_CASE("done and leaving pods are not alive") {
  for (const char* phase : {"Succeeded", "Failed"}) {
    Json object = running_pod();
    object["status"]["phase"] = phase;
    CHECK_FALSE(decode_pod(object)->alive());
    CHECK(name_of(decode_pod(object)->phase) == phase);
  }
  Json leaving = running_pod();
  leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:01:00Z";
  CHECK_FALSE(decode_pod(leaving)->alive());
}

TEST_CASE("what is missing or of a wrong type never makes a pod ready") {
  for (const char* pointer :
       {"/spec", "/status", "/status/phase", "/status/podIP", "/status/conditions",
        "/status/conditions/1", "/status/conditions/1/status", "/status/containerStatuses",
        "/status/containerStatuses/0/state", "/metadata/labels", "/metadata/ownerReferences"}) {
    for (const Json& value : {Json(nullptr), Json(7), Json("x"), Json::array(), Json::object()}) {
      CAPTURE(pointer);
      CAPTURE(dump_json(value));
      Json object = running_pod();
      object[Json::json_pointer(pointer)] = value;
      const auto pod = decode_pod(object);
      REQUIRE(pod);
      const bool touches_ready =
          std::string(pointer).find("/status/cond") == 0 || std::string(pointer) == "/status";
      CHECK(pod->ready == !touches_ready);
    }
  }
}

TEST_CASE("a pod without name or UID is an error of the protocol") {
  for (const char* key : {"name", "uid"}) {
    Json object = running_pod();
    object["metadata"].erase(key);
    REQUIRE_FALSE(decode_pod(object));
    CHECK(decode_pod(object).error().code == ErrorCode::Protocol);
  }
}

}  // namespace
}  // namespace scaledcache::k8s
