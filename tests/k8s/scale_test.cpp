#include "k8s/scale.h"

#include <doctest/doctest.h>

namespace scaledcache::k8s {
namespace {

Json scale_body() {
  return Json::parse(R"({
    "kind": "Scale", "apiVersion": "autoscaling/v1",
    "metadata": {"name": "varnish", "namespace": "blog", "uid": "d-1", "resourceVersion": "42"},
    "spec": {"replicas": 2}, "status": {"replicas": 3, "selector": "app=varnish"}
  })");
}

TEST_CASE("a Scale is read whole") {
  const auto scale = decode_scale(scale_body());
  REQUIRE(scale);
  CHECK(*scale == Scale{"varnish", "blog", "d-1", "42", 2, 3, "app=varnish"});
}

TEST_CASE("a count that is left out is 0") {
  for (const char* spec : {"{}", "null", R"({"replicas": 0})", R"({"replicas": null})"}) {
    Json body = scale_body();
    body["spec"] = Json::parse(spec);
    CHECK(decode_scale(body)->replicas == 0);
  }
  Json body = scale_body();
  body.erase("spec");
  body.erase("status");
  CHECK(decode_scale(body).value() == Scale{"varnish", "blog", "d-1", "42", 0, 0, ""});
}

TEST_CASE("what is no Scale is an error of the protocol") {
  for (const char* text :
       {"null", "[]", "\"<html>\"", "{}", R"({"metadata": {"name": "a"}})",
        R"({"metadata": {"name": "a", "uid": "b"}, "spec": {"replicas": "2"}})",
        R"({"metadata": {"name": "a", "uid": "b"}, "spec": {"replicas": -1}})",
        R"({"metadata": {"name": "a", "uid": "b"}, "spec": {"replicas": 1e3}})",
        R"({"metadata": {"name": "a", "uid": "b"}, "spec": {"replicas": 2147483648}})",
        R"({"metadata": {"name": "a", "uid": "b"}, "spec": {}, "status": {"replicas": true}})"}) {
    SUBCASE(text) {
      const auto scale = decode_scale(Json::parse(text));
      REQUIRE_FALSE(scale);
      CHECK(scale.error().code == ErrorCode::Protocol);
    }
  }
}

TEST_CASE("a change tests UID and old count, then sets the new one") {
  const Patch patch = encode_scale_patch({"d-1", "42", 2, 8});
  CHECK(patch.media_type == "application/json-patch+json");
  CHECK(Json::parse(patch.body) == Json::parse(R"([
    {"op": "test", "path": "/metadata/uid", "value": "d-1"},
    {"op": "test", "path": "/spec/replicas", "value": 2},
    {"op": "add", "path": "/spec/replicas", "value": 8}
  ])"));
}

TEST_CASE("a change to 0 is tested like any other") {
  const Patch patch = encode_scale_patch({"d-1", "42", 1, 0});
  CHECK(Json::parse(patch.body)[2] ==
        Json{{"op", "add"}, {"path", "/spec/replicas"}, {"value", 0}});
}

TEST_CASE("from 0 there is no count to test: UID and resource version guard it") {
  const Patch patch = encode_scale_patch({"d-1", "42", 0, 5});
  CHECK(patch.media_type == "application/merge-patch+json");
  CHECK(Json::parse(patch.body) == Json::parse(R"({
    "metadata": {"uid": "d-1", "resourceVersion": "42"}, "spec": {"replicas": 5}
  })"));
}

}  // namespace
}  // namespace scaledcache::k8s
