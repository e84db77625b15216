// Whether a HorizontalPodAutoscaler (autoscaling/v2, v1) scales what a ScaledCache scales.
#pragma once

#include <string>

#include "base/json.h"
#include "base/result.h"
#include "k8s/object_meta.h"

namespace scaledcache::k8s {

struct Hpa {
  std::string name;
  std::string uid;
  std::string resource_version;
  ObjectRef target;  // spec.scaleTargetRef, in the HPA's own namespace; without a UID

  bool operator==(const Hpa&) const = default;
};

// Protocol when the object has no name, UID or target.
[[nodiscard]] Result<Hpa> decode_hpa(const Json& object);

// Compares namespace, API group, kind and name; versions of one group are the same object.
[[nodiscard]] bool same_target(const ObjectRef& a, const ObjectRef& b);

}  // namespace scaledcache::k8s
