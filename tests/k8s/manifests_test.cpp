// The files that people copy and install, against the code that obeys them.
#include <filesystem>

#include <doctest/doctest.h>

#include "base/rfc3339.h"
#include "k8s/resource_samples.h"
#include "k8s/scaled_cache.h"
#include "k8s/yaml_json.h"

namespace scaledcache::k8s {
namespace {

Json example(const std::string& file) {
  Json object = load_yaml("examples/" + file);
  object["metadata"]["uid"] = "u-1";  // the API server gives one
  return object;
}

Json crd_spec_schema() {
  const Json crd = load_yaml("crds/scaledcaches.yaml");
  return crd.at(Json::json_pointer("/spec/versions/0/schema/openAPIV3Schema/properties/spec"));
}

// What the API server does with absent fields.
void apply_defaults(const Json& schema, Json& value) {
  if (schema.contains("properties") && value.is_object()) {
    for (const auto& [name, field] : schema["properties"].items()) {
      if (!value.contains(name) && field.contains("default")) {
        value[name] = field["default"];
      }
      if (value.contains(name)) {
        apply_defaults(field, value[name]);
      }
    }
  }
  if (schema.contains("items") && value.is_array()) {
    for (Json& entry : value) {
      apply_defaults(schema["items"], entry);
    }
  }
}

TEST_CASE("every example is a sound manifest") {
  int seen = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(std::string(SCALEDCACHE_SOURCE_DIR) + "/examples")) {
    if (file.path().extension() != ".yaml") {
      continue;
    }
    const std::string name = file.path().filename().string();
    CAPTURE(name);
    const Json object = example(name);
    CHECK(object["apiVersion"] == kApiVersion);
    CHECK(object["kind"] == kKind);
    const auto cache = scaled_cache_from_json(object);
    REQUIRE(cache);
    CHECK(join(cache->problems) == "");
    ++seen;
  }
  CHECK(seen >= 4);
}

TEST_CASE("the minimal example is nine lines of defaults") {
  const auto cache = scaled_cache_from_json(example("minimal.yaml"));
  REQUIRE(cache);
  Problems problems;
  CHECK(cache->spec == spec_from_json(minimal_spec(), "spec", problems));
}

TEST_CASE("the two-windows example says what its comment says") {
  const Spec spec = scaled_cache_from_json(example("two-windows.yaml"))->spec;
  CHECK(spec.long_window == std::chrono::minutes{15});
  CHECK(spec.scale_down.step_percent == 20);
  CHECK(spec.fallback == FallbackSpec{FallbackBehavior::CurrentOrHigher, 8});
  CHECK(spec.signals.at(0).planned_per_replica() == 1200);
}

TEST_CASE("the baseline example says what its comment says") {
  const Spec spec = scaled_cache_from_json(example("baseline.yaml"))->spec;
  CHECK(spec.baseline == BaselineSpec{"app=varnish-node", 100});
  REQUIRE(spec.schedules.size() == 1);
  CHECK(spec.schedules[0].min_replicas == 4);
  // A Monday: 07:30 and 19:00 in Berlin, where it is winter.
  CHECK_FALSE(core::in_force(spec.schedules[0], *parse_time("2026-01-05T06:29:59Z")));
  CHECK(core::in_force(spec.schedules[0], *parse_time("2026-01-05T06:30:00Z")));
  CHECK_FALSE(core::in_force(spec.schedules[0], *parse_time("2026-01-05T18:00:00Z")));
  CHECK(spec.restore_replicas_on_delete);
}

TEST_CASE("an absent field means the same to the schema and to the decoder") {
  Json with_defaults = minimal_spec();
  with_defaults.erase("minReplicas");
  Json without = with_defaults;
  apply_defaults(crd_spec_schema(), with_defaults);
  CHECK(with_defaults.size() > without.size());
  Problems problems;
  CHECK(spec_from_json(with_defaults, "spec", problems) ==
        spec_from_json(without, "spec", problems));
  CHECK(problems.empty());
}

// Each field of the schema, read by the decoder: an unknown one would be a problem.
void refuse_unread(const Json& schema, const std::string& pointer) {
  if (!schema.contains("properties")) {
    return;
  }
  for (const auto& [name, field] : schema["properties"].items()) {
    const std::string here = pointer + "/" + name;
    CAPTURE(here);
    Problems problems;
    static_cast<void>(spec_from_json(spec_with(here, nullptr), "spec", problems));
    CHECK(join(problems).find("does not know") == std::string::npos);
    refuse_unread(field, here);
    if (field.contains("items")) {
      refuse_unread(field["items"], here + "/0");
    }
  }
}

TEST_CASE("every field of the schema is known to the decoder") {
  refuse_unread(crd_spec_schema(), "");
}

TEST_CASE("the schema offers the presets that the decoder takes") {
  const Json presets =
      crd_spec_schema().at(Json::json_pointer("/properties/signals/items/properties/preset/enum"));
  CHECK(presets.size() == std::size(kPresets));
  for (const std::string_view preset : kPresets) {
    CHECK(std::find(presets.begin(), presets.end(), preset) != presets.end());
  }
}

}  // namespace
}  // namespace scaledcache::k8s
