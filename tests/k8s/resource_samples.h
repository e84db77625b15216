// A sound ScaledCache as JSON, and the means to spoil one field of it.
#pragma once

#include <string>
#include <utility>

#include "base/json.h"

namespace scaledcache::k8s {

inline Json minimal_spec() {
  return Json::parse(R"({
    "scaleTargetRef": {"name": "varnish-burst"},
    "minReplicas": 2,
    "maxReplicas": 10,
    "signals": [{"preset": "Varnish", "requestsPerReplica": 200}]
  })");
}

// The minimal spec with `value` at `pointer` ("/signals/0/query"); parents that are missing are
// made.
inline Json spec_with(const std::string& pointer, Json value) {
  Json spec = minimal_spec();
  spec[Json::json_pointer(pointer)] = std::move(value);
  return spec;
}

inline Json spec_without(const std::string& pointer) {
  Json spec = minimal_spec();
  const Json::json_pointer place(pointer);
  spec[place.parent_pointer()].erase(place.back());
  return spec;
}

inline Json scaled_cache_object(Json spec) {
  return Json{{"apiVersion", "scaledcache.io/v1alpha1"},
              {"kind", "ScaledCache"},
              {"metadata",
               {{"name", "blog"},
                {"namespace", "web"},
                {"uid", "u-1"},
                {"resourceVersion", "7"},
                {"generation", 3},
                {"creationTimestamp", "2026-01-01T00:00:00Z"}}},
              {"spec", std::move(spec)}};
}

}  // namespace scaledcache::k8s
