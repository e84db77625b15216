// The scale subresource (autoscaling/v1 Scale): reading the count and writing it safely.
#pragma once

#include <string>

#include "base/json.h"
#include "base/result.h"
#include "k8s/patch.h"

namespace scaledcache::k8s {

// The field manager of our writes: managedFields name it, and so tell our counts from others'.
inline constexpr const char* kFieldManager = "scaledcache-operator";

struct Scale {
  std::string name;
  std::string name_space;
  std::string uid;               // of the parent object
  std::string resource_version;  // of the parent object
  int replicas = 0;              // spec.replicas; the API server leaves it out when it is 0
  int current_replicas = 0;      // status.replicas: counts surge pods, never decide from it
  std::string selector;          // status.selector, as a list request takes it

  bool operator==(const Scale&) const = default;
};

// Protocol when the body is no Scale: no uid, or a count that is no integer from 0 to 2^31 - 1.
[[nodiscard]] Result<Scale> decode_scale(const Json& body);

// A change of the count that was decided from `from`.
struct ScaleChange {
  std::string uid;
  std::string resource_version;  // needed only where from is 0
  int from = 0;
  int to = 0;
};

// A JSON patch that tests the UID and the old count, then sets the new one: applied twice, it fails
// the second time (422) and changes nothing. From 0, where the API server shows no count to test, a
// merge patch with UID and resource version (409 when either moved).
[[nodiscard]] Patch encode_scale_patch(const ScaleChange& change);

}  // namespace scaledcache::k8s
