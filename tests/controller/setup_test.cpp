#include "controller/setup.h"

#include <doctest/doctest.h>

namespace scaledcache::controller {
namespace {

bool allowed(const http::AddressPolicy& policy, const char* text) {
  const auto address = http::parse_address(text);
  REQUIRE(address);
  return policy.judge(*address).has_value();
}

k8s::ClusterConfig cluster_at(const char* origin) {
  k8s::ClusterConfig cluster;
  cluster.origin = origin;
  return cluster;
}

TEST_CASE("no backend may be the API server or the operator itself, by whatever name it is known") {
  const Options options;
  const k8s::ClusterConfig cluster = cluster_at("https://10.0.0.9:6443");
  const Environment environment{{"KUBERNETES_SERVICE_HOST", "10.96.0.1"}, {"POD_IP", "10.244.0.7"}};
  const auto policy = address_policy({options, cluster, environment});
  CHECK_FALSE(allowed(policy, "10.0.0.9"));
  CHECK_FALSE(allowed(policy, "10.96.0.1"));
  CHECK_FALSE(allowed(policy, "10.244.0.7"));
  CHECK(allowed(policy, "10.244.0.8"));
}

TEST_CASE("an API server on loopback does not deny it to backends in development") {
  Options options;
  options.development = true;
  const k8s::ClusterConfig cluster = cluster_at("https://127.0.0.1:6443");
  CHECK(allowed(address_policy({options, cluster, {}}), "127.0.0.1"));
  options.development = false;
  CHECK_FALSE(allowed(address_policy({options, cluster, {}}), "127.0.0.1"));
}

TEST_CASE("the operator goes by its pod's name") {
  CHECK(instance_name({{"POD_NAME", "scaledcache-7d9f"}}) == "scaledcache-7d9f");
  CHECK(instance_name({{"POD_NAME", ""}}) == "scaledcache");
  CHECK(instance_name({}) == "scaledcache");
}

}  // namespace
}  // namespace scaledcache::controller
