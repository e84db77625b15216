// The ScaledCache resource (scaledcache.io/v1alpha1) as one value: what the user asked for, what is
// wrong with it, and what we last said about it.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "k8s/object_meta.h"
#include "k8s/problem.h"
#include "k8s/spec.h"
#include "k8s/status.h"

namespace scaledcache::k8s {

inline constexpr const char* kGroup = "scaledcache.io";
inline constexpr const char* kVersion = "v1alpha1";
inline constexpr const char* kApiVersion = "scaledcache.io/v1alpha1";
inline constexpr const char* kKind = "ScaledCache";
inline constexpr const char* kPlural = "scaledcaches";

// The annotations by which people stop or steer scaling without editing the spec.
struct PauseAnnotations {
  bool paused = false;             // scaledcache.io/paused
  std::optional<int> replicas;     // scaledcache.io/paused-replicas
  bool scale_up_paused = false;    // scaledcache.io/paused-scale-up
  bool scale_down_paused = false;  // scaledcache.io/paused-scale-down
  bool force_activation = false;   // scaledcache.io/force-activation
  Problems problems;               // texts that are neither "true" nor "false", or no count

  bool operator==(const PauseAnnotations&) const = default;
};

// A pause that cannot be read counts as paused: the safe reading. A broken force-activation counts
// as absent.
[[nodiscard]] PauseAnnotations read_pause(const ObjectMeta& meta);

struct ScaledCache {
  ObjectMeta meta;
  Spec spec;  // must not be obeyed while `problems` is not empty
  Status status;
  PauseAnnotations pause;
  Problems problems;  // of the spec: shape first, and sense where the shape is right

  [[nodiscard]] bool valid() const { return problems.empty(); }

  // What its events regard.
  [[nodiscard]] ObjectRef reference() const;

  // What it scales, without a UID.
  [[nodiscard]] ObjectRef target() const;

  bool operator==(const ScaledCache&) const = default;
};

// Protocol only when the envelope is broken (no object, no name, namespace or UID). An object whose
// spec cannot be read is kept and carries its problems, so that it gets a condition and the others
// are served.
[[nodiscard]] Result<ScaledCache> scaled_cache_from_json(const Json& object);

}  // namespace scaledcache::k8s
