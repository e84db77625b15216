#include "k8s/object_meta.h"

#include <doctest/doctest.h>

namespace scaledcache::k8s {
namespace {

TEST_CASE("decode_meta keeps our annotations only") {
  const auto meta = decode_meta(Json::parse(R"({"metadata": {
    "name": "a", "namespace": "b", "uid": "c", "resourceVersion": "5", "generation": 2,
    "deletionTimestamp": "2026-01-01T00:00:00Z",
    "annotations": {"scaledcache.io/paused": "true", "large": "x"}}})"));
  REQUIRE(meta);
  CHECK(meta->deleting);
  CHECK(meta->generation == 2);
  CHECK(meta->annotations == std::map<std::string, std::string>{{"scaledcache.io/paused", "true"}});
}

TEST_CASE("decode_controller takes the owner that controls") {
  const Json object = Json::parse(R"({"metadata": {"ownerReferences": [
    {"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "1"},
    {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "2", "controller": true}
  ]}})");
  CHECK(decode_controller(object) == OwnerRef{"apps/v1", "ReplicaSet", "r", "2"});
}

TEST_CASE("no owner is read from anything else") {
  for (const char* text : {"null", "{}", R"({"metadata": 1})", R"({"metadata": {}})",
                           R"({"metadata": {"ownerReferences": {}}})",
                           R"({"metadata": {"ownerReferences": [1, null]}})",
                           R"({"metadata": {"ownerReferences": [{"controller": "true"}]}})"}) {
    SUBCASE(text) {
      CHECK_FALSE(decode_controller(Json::parse(text)));
    }
  }
}

TEST_CASE("group_of is what stands before the slash") {
  CHECK(group_of("apps/v1") == "apps");
  CHECK(group_of("v1").empty());
  CHECK(group_of("").empty());
}

}  // namespace
}  // namespace scaledcache::k8s
