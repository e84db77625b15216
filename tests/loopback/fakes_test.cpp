// The fakes behave as what they stand for, as far as the operator can tell.
#include <optional>
#include <string>

#include <doctest/doctest.h>

#include "loopback/api_call.h"
#include "loopback/kube_patch.h"
#include "loopback/world.h"

namespace scaledcache::loopback {
namespace {

Json deployment(int replicas) {
  Json object = workload_manifest(kNamespace, "web", replicas);
  object["apiVersion"] = "apps/v1";
  object["kind"] = "Deployment";
  object["metadata"]["uid"] = "u-1";
  object["metadata"]["resourceVersion"] = "7";
  object["metadata"]["creationTimestamp"] = "2026-01-01T00:00:00Z";
  return object;
}

KubeAnswer patch(const Json& object, const char* media_type, const Json& body) {
  return patch_scale(object, {media_type, body.dump(), "somebody"});
}

Json operations(const char* uid, int from, int to) {
  return Json::array({{{"op", "test"}, {"path", "/metadata/uid"}, {"value", uid}},
                      {{"op", "test"}, {"path", "/spec/replicas"}, {"value", from}},
                      {{"op", "add"}, {"path", "/spec/replicas"}, {"value", to}}});
}

constexpr const char* kJson = "application/json-patch+json";
constexpr const char* kMerge = "application/merge-patch+json";

}  // namespace

TEST_CASE("fake scale: tests hold or refuse with 422, and 0 is left out") {
  const KubeAnswer good = patch(deployment(2), kJson, operations("u-1", 2, 8));
  CHECK(good.status == 200);
  CHECK(good.body["spec"]["replicas"] == 8);
  CHECK(good.body["metadata"]["managedFields"][0]["manager"] == "somebody");
  CHECK(patch(good.body, kJson, operations("u-1", 2, 8)).status == 422);
  CHECK(patch(deployment(2), kJson, operations("u-2", 2, 8)).status == 422);
  CHECK(patch(deployment(0), kJson, operations("u-1", 0, 8)).status == 422);
  CHECK(patch(deployment(2), kJson, operations("u-1", 2, -1)).status == 422);
  CHECK_FALSE(scale_of(deployment(0))["spec"].contains("replicas"));
}

TEST_CASE("fake scale: a merge patch meets UID and version with 409") {
  const auto merge = [](const char* uid, const char* version) {
    return Json{{"metadata", {{"uid", uid}, {"resourceVersion", version}}},
                {"spec", {{"replicas", 3}}}};
  };
  CHECK(patch(deployment(0), kMerge, merge("u-1", "7")).body["spec"]["replicas"] == 3);
  CHECK(patch(deployment(0), kMerge, merge("u-2", "7")).status == 409);
  CHECK(patch(deployment(0), kMerge, merge("u-1", "6")).status == 409);
  CHECK(patch(deployment(0), "application/xml", Json::object()).status == 415);
}

TEST_CASE("fake status: nothing but status changes, and a UID is no precondition") {
  Json object = deployment(2);
  const KubeAnswer answer = patch_status(
      object, {kMerge, R"({"metadata":{"uid":"u-2"},"spec":{"replicas":9},"status":{"a":1}})", ""});
  CHECK(answer.status == 200);
  CHECK(answer.body["spec"]["replicas"] == 2);
  CHECK(answer.body["metadata"]["uid"] == "u-1");
  CHECK(answer.body["status"]["a"] == 1);
}

TEST_CASE("a request is the call that rights speak of, and what everybody may do is none") {
  struct Row {
    const char* line;  // method and target
    std::optional<ApiCall> want;
  };

  for (const auto& [line, want] : {
           Row{"GET /api/v1/pods?limit=500", ApiCall{"list", "", "pods", "", ""}},
           Row{"GET /api/v1/namespaces/shop/pods?watch=true&resourceVersion=1",
               ApiCall{"watch", "", "pods", "shop", ""}},
           Row{"GET /apis/apps/v1/namespaces/shop/deployments/web",
               ApiCall{"get", "apps", "deployments", "shop", "web"}},
           Row{"PATCH /apis/apps/v1/namespaces/shop/deployments/web/scale?fieldManager=a",
               ApiCall{"patch", "apps", "deployments/scale", "shop", "web"}},
           Row{"PUT /apis/coordination.k8s.io/v1/namespaces/shop/leases/a",
               ApiCall{"update", "coordination.k8s.io", "leases", "shop", "a"}},
           Row{"POST /api/v1/namespaces/shop/serviceaccounts/a/token",
               ApiCall{"create", "", "serviceaccounts/token", "shop", "a"}},
           Row{"GET /apis/apps/v1", std::nullopt},
           Row{"GET /version", std::nullopt},
       }) {
    CAPTURE(line);
    CHECK(call_of(parse_request(std::string(line) + " HTTP/1.1\r\n\r\n")) == want);
  }
}

TEST_CASE(
    "fake objects: a write that changes nothing is none, and only intent raises the generation") {
  KubeObjects objects([] {});
  const Json made = objects.apply("deployments", workload_manifest(kNamespace, "web", 2));
  CHECK(made["metadata"]["generation"] == 1);
  const auto version = objects.version();
  objects.apply("deployments", workload_manifest(kNamespace, "web", 2));
  CHECK(objects.version() == version);
  const Json status = objects
                          .update("deployments", key("web"),
                                  [](Json object) {
                                    object["status"]["replicas"] = 2;
                                    return KubeAnswer{200, std::move(object)};
                                  })
                          .body;
  CHECK(status["metadata"]["generation"] == 1);
  CHECK(status["metadata"]["resourceVersion"] != made["metadata"]["resourceVersion"]);
  CHECK(objects.apply("deployments",
                      workload_manifest(kNamespace, "web", 3))["metadata"]["generation"] == 2);
}

TEST_CASE("fake fleet: the pods' counters add up to the load, however pods come and go") {
  FakeFleet fleet("requests_total");
  fleet.set_load(600);
  fleet.set_pods({"a", "b"});
  fleet.set_pods({"a", "b", "c"});
  const Json series = fleet.matrix(system_clock().wall(), 30'000);
  REQUIRE(series.size() >= 2);
  double served = 0;
  for (const Json& one : series) {
    const auto& values = one["values"];
    served += std::stod(values.back()[1].get<std::string>()) -
              std::stod(values.front()[1].get<std::string>());
  }
  const auto gaps = static_cast<double>(series[0]["values"].size() - 1);
  CHECK(served == doctest::Approx(600 * gaps).epsilon(0.001));
}

}  // namespace scaledcache::loopback
