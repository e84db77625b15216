#include "k8s/scaled_cache.h"

#include <doctest/doctest.h>

#include "base/rfc3339.h"
#include "k8s/resource_samples.h"

namespace scaledcache::k8s {
namespace {

Json with_annotation(const char* name, Json value) {
  Json object = scaled_cache_object(minimal_spec());
  object["metadata"]["annotations"] = {{name, std::move(value)}, {"other.io/paused", "true"}};
  return object;
}

PauseAnnotations pause_of(const char* name, Json value) {
  return scaled_cache_from_json(with_annotation(name, std::move(value)))->pause;
}

TEST_CASE("a sound object is read whole") {
  const auto cache = scaled_cache_from_json(scaled_cache_object(minimal_spec()));
  REQUIRE(cache);
  CHECK(cache->valid());
  CHECK(cache->meta.name == "blog");
  CHECK(cache->meta.generation == 3);
  CHECK(cache->meta.created == parse_time("2026-01-01T00:00:00Z"));
  CHECK(cache->reference() ==
        ObjectRef{"scaledcache.io/v1alpha1", "ScaledCache", "web", "blog", "u-1"});
  CHECK(cache->target() == ObjectRef{"apps/v1", "Deployment", "web", "varnish-burst", ""});
  CHECK(cache->status == Status{});
}

TEST_CASE("an object whose spec cannot be read is kept and says why") {
  for (const Json& spec : {Json("text"), Json(nullptr), Json::array(), Json::object(),
                           spec_with("/minReplicas", "two"), spec_with("/minReplicas", 11)}) {
    const auto cache = scaled_cache_from_json(scaled_cache_object(spec));
    REQUIRE(cache);
    CHECK_FALSE(cache->valid());
    CHECK(cache->meta.uid == "u-1");
    CHECK(join(cache->problems).find("spec") == 0);
  }
}

TEST_CASE("an object without a spec is kept and says so") {
  Json object = scaled_cache_object(minimal_spec());
  object.erase("spec");
  const auto cache = scaled_cache_from_json(object);
  REQUIRE(cache);
  CHECK(join(cache->problems) == "spec is required");
}

TEST_CASE("a broken envelope is an error of the protocol") {
  Json no_name = scaled_cache_object(minimal_spec());
  no_name["metadata"].erase("name");
  Json no_uid = scaled_cache_object(minimal_spec());
  no_uid["metadata"]["uid"] = 7;
  Json no_namespace = scaled_cache_object(minimal_spec());
  no_namespace["metadata"].erase("namespace");
  for (const Json& object : {Json(nullptr), Json::array(), Json("x"), Json::object(),
                             Json{{"metadata", "x"}}, no_name, no_uid, no_namespace}) {
    const auto cache = scaled_cache_from_json(object);
    REQUIRE_FALSE(cache);
    CHECK(cache.error().code == ErrorCode::Protocol);
  }
}

TEST_CASE("a status of the wrong shape reads as none") {
  for (const Json& status : {Json("x"), Json::array(), Json{{"replicas", "x"}, {"signals", 1}},
                             Json{{"conditions", {1, 2}}, {"lastDecision", "x"}}}) {
    Json object = scaled_cache_object(minimal_spec());
    object["status"] = status;
    const auto cache = scaled_cache_from_json(object);
    REQUIRE(cache);
    CHECK(cache->valid());
    CHECK(cache->status == Status{});
  }
}

TEST_CASE("annotations pause, and what cannot be read pauses too") {
  CHECK(pause_of("scaledcache.io/paused", "true").paused);
  CHECK_FALSE(pause_of("scaledcache.io/paused", "false").paused);
  for (const char* text : {"", "yes", "True", "1", " true"}) {
    SUBCASE(text) {
      const PauseAnnotations pause = pause_of("scaledcache.io/paused", text);
      CHECK(pause.paused);
      REQUIRE(pause.problems.size() == 1);
      CHECK(pause.problems[0].sentence().find("must be \"true\" or \"false\"") !=
            std::string::npos);
    }
  }
}

TEST_CASE("annotations of others and those that are no text do not count") {
  CHECK(pause_of("scaledcache.io/paused", 1) == PauseAnnotations{});
  CHECK(pause_of("example.io/paused", "true") == PauseAnnotations{});
}

TEST_CASE("one direction alone can be paused") {
  CHECK(pause_of("scaledcache.io/paused-scale-up", "true").scale_up_paused);
  CHECK(pause_of("scaledcache.io/paused-scale-down", "true").scale_down_paused);
  CHECK(pause_of("scaledcache.io/paused-scale-down", "maybe").scale_down_paused);
  CHECK_FALSE(pause_of("scaledcache.io/paused-scale-down", "true").paused);
}

TEST_CASE("a broken force-activation counts as absent, and is told") {
  CHECK(pause_of("scaledcache.io/force-activation", "true").force_activation);
  const PauseAnnotations broken = pause_of("scaledcache.io/force-activation", "on");
  CHECK_FALSE(broken.force_activation);
  CHECK(broken.problems.size() == 1);
}

TEST_CASE("paused-replicas is a count, or pauses") {
  CHECK(pause_of("scaledcache.io/paused-replicas", "7").replicas == 7);
  CHECK(pause_of("scaledcache.io/paused-replicas", "0").replicas == 0);
  for (const char* text : {"", "-1", "7.5", "10001", "99999999999", "seven", "7 "}) {
    SUBCASE(text) {
      const PauseAnnotations pause = pause_of("scaledcache.io/paused-replicas", text);
      CHECK_FALSE(pause.replicas);
      CHECK(pause.paused);
      CHECK(pause.problems.size() == 1);
    }
  }
}

TEST_CASE("the text of a condition joins all problems and stays short") {
  const Problems problems(100, Problem{"spec.ä", std::string(30, 'x')});
  CHECK(join(problems).size() <= 1024);
  CHECK(join({{"a", "is b"}, {"c", "is d"}}) == "a is b; c is d");
}

}  // namespace
}  // namespace scaledcache::k8s
