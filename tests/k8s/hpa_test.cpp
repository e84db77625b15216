#include "k8s/hpa.h"

#include <doctest/doctest.h>

namespace scaledcache::k8s {
namespace {

TEST_CASE("an HPA names its target in its own namespace") {
  const auto hpa = decode_hpa(Json::parse(R"({
    "metadata": {"name": "h", "namespace": "web", "uid": "1", "resourceVersion": "2"},
    "spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "v"}}})"));
  REQUIRE(hpa);
  CHECK(hpa->target == ObjectRef{"apps/v1", "Deployment", "web", "v", ""});
}

TEST_CASE("an HPA without a target is an error of the protocol") {
  for (const char* text : {"{}", R"({"metadata": {"name": "h", "uid": "1"}})",
                           R"({"metadata": {"name": "h", "uid": "1"}, "spec": 1})",
                           R"({"metadata": {"name": "h", "uid": "1"},
                               "spec": {"scaleTargetRef": {"kind": "Deployment"}}})"}) {
    REQUIRE_FALSE(decode_hpa(Json::parse(text)));
    CHECK(decode_hpa(Json::parse(text)).error().code == ErrorCode::Protocol);
  }
}

TEST_CASE("targets are the same whatever the version, and differ in all else") {
  const ObjectRef target{"apps/v1", "Deployment", "web", "v", "u"};
  CHECK(same_target(target, {"apps/v1beta1", "Deployment", "web", "v", ""}));
  CHECK_FALSE(same_target(target, {"extensions/v1", "Deployment", "web", "v", ""}));
  CHECK_FALSE(same_target(target, {"apps/v1", "StatefulSet", "web", "v", ""}));
  CHECK_FALSE(same_target(target, {"apps/v1", "Deployment", "other", "v", ""}));
  CHECK_FALSE(same_target(target, {"apps/v1", "Deployment", "web", "w", ""}));
}

}  // namespace
}  // namespace scaledcache::k8s
