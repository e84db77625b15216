#include "controller/commands/doctor.h"

#include <doctest/doctest.h>

#include "k8s/resource_samples.h"

#include "commands/cache_sample.h"
#include "commands/run.h"
#include "commands/server.h"

namespace scaledcache::controller::test {
namespace {

k8s::ScaledCache with_condition(const char* type, k8s::ConditionStatus status, const char* reason) {
  k8s::ScaledCache cache = cache_with(1900, 1950);
  k8s::Condition condition;
  condition.type = type;
  condition.status = status;
  condition.reason = reason;
  condition.message = "so it is";
  cache.status.conditions = {condition};
  return cache;
}

TEST_CASE("a cache that works is told with its last decision") {
  const auto checks = check_cache(cache_with(1900, 1950), kNow);
  REQUIRE(checks.size() == 1);
  CHECK(checks[0].health == Health::Good);
  CHECK(checks[0].told == "Steady: 1900 req/s need 10 replicas");
}

TEST_CASE("conditions that tell of trouble are told with reason and message") {
  using k8s::ConditionStatus;

  struct Row {
    const char* type;
    ConditionStatus status;
    Health want;
  };

  for (const Row& row : {Row{"Ready", ConditionStatus::False, Health::Bad},
                         Row{"Ready", ConditionStatus::True, Health::Good},
                         Row{"MetricsReady", ConditionStatus::False, Health::Bad},
                         Row{"Contested", ConditionStatus::True, Health::Bad},
                         Row{"Paused", ConditionStatus::True, Health::Odd},
                         Row{"Paused", ConditionStatus::False, Health::Good}}) {
    CAPTURE(row.type);
    const auto checks = check_cache(with_condition(row.type, row.status, "Why"), kNow);
    REQUIRE(checks.size() == 1);
    CHECK(checks[0].health == row.want);
    CHECK(has(checks[0].told, "(Why): so it is") == (row.want != Health::Good));
  }
}

TEST_CASE("an operator that is silent, or never came, is bad") {
  CHECK(has(check_cache(cache_with(1, 1), kNow + std::chrono::minutes{11}).at(0).told,
            "the operator last wrote 11m ago"));
  k8s::ScaledCache untouched = cache_with(1, 1);
  untouched.status = {};
  untouched.meta.created = kNow - std::chrono::minutes{5};
  CHECK(has(check_cache(untouched, kNow).at(0).told, "no operator has looked at it"));
  untouched.meta.created = kNow;
  CHECK(check_cache(untouched, kNow).at(0).health == Health::Good);
}

TEST_CASE("a spec that cannot be obeyed, and an annotation that cannot be read, are bad") {
  k8s::ScaledCache cache = cache_with(1900, 1950);
  cache.problems = {{"spec.minReplicas", "is 30"}};
  cache.pause.problems = {{"metadata.annotations[x]", "is odd"}};
  const auto checks = check_cache(cache, kNow);
  REQUIRE(checks.size() == 2);
  CHECK(checks[0].health == Health::Bad);
  CHECK(has(checks[1].told, "it counts as paused"));
}

TEST_CASE("others that scale the same target are found") {
  k8s::ScaledCache other = cache_with(1, 1);
  other.meta.name = "copy";
  k8s::Hpa hpa;
  hpa.name = "old";
  hpa.target = {"apps/v1", "Deployment", "web", "varnish", ""};
  const auto checks = check_targets(std::vector{cache_with(1, 1), other}, std::vector{hpa});
  REQUIRE(checks.size() == 3);
  CHECK(has(checks[0].told, "HorizontalPodAutoscaler old"));
  CHECK(has(checks[1].told, "also scaled by ScaledCache web/blog"));
  other.spec.dry_run = true;
  CHECK(check_targets(std::vector{other}, std::vector{hpa}).empty());
}

TEST_CASE("a cluster is looked at from the API server to the last cache") {
  Server api;
  const std::string caches = "/apis/scaledcache.io/v1alpha1/namespaces/web/scaledcaches?limit=500";
  const auto list = [](const std::string& items) {
    return R"({"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[)" +
           items + "]}";
  };
  api.answer("/version", 200, R"({"gitVersion":"v1.29.1","minor":"29"})");
  api.answer("/apis/scaledcache.io/v1alpha1", 404,
             R"({"kind":"Status","code":404,"reason":"NotFound"})");
  api.answer(
      "/apis/apps/v1/deployments?labelSelector=app.kubernetes.io%2Fname%3Dscaledcache&limit=500",
      200, list(R"({"metadata":{"name":"op","namespace":"sc"},"status":{"availableReplicas":1}})"));
  api.answer(caches, 200, list(k8s::scaled_cache_object(k8s::minimal_spec()).dump()));
  api.answer("/apis/autoscaling/v2/namespaces/web/horizontalpodautoscalers?limit=500", 403,
             R"({"kind":"Status","code":403,"reason":"Forbidden"})");
  const auto checks = examine(api.client, "web", kNow);
  REQUIRE(checks);
  std::string told;
  for (const Check& check : *checks) {
    told += check.what + ": " + check.told + "\n";
  }
  for (const char* part :
       {"Kubernetes v1.29.1 is older than 1.30", "scaledcache.io/v1alpha1 is not served",
        "Deployment sc/op is available", "ScaledCache web/blog: no operator has looked at it",
        "HorizontalPodAutoscalers cannot be read"}) {
    CHECK_MESSAGE(has(told, part), part, " in\n", told);
  }
}

TEST_CASE("without an API server there is nothing to say") {
  Server api;
  api.transport.expect({http::Method::Get, "https://api:6443/version", "",
                        Error{ErrorCode::Unavailable, "connection refused"}});
  CHECK_FALSE(examine(api.client, "", kNow));
}

}  // namespace
}  // namespace scaledcache::controller::test
