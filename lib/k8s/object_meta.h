// What every Kubernetes object carries, and how objects point at each other. Only the parts that
// decisions need are kept: a cluster holds far more pods than we scale.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"

namespace scaledcache::k8s {

struct ObjectMeta {
  std::string name;
  std::string name_space;
  std::string uid;
  std::string resource_version;
  std::int64_t generation = 0;
  std::optional<WallTime> created;
  bool deleting = false;                           // deletionTimestamp is set
  std::map<std::string, std::string> annotations;  // only those under scaledcache.io/

  bool operator==(const ObjectMeta&) const = default;
};

// The controlling owner of an object: metadata.ownerReferences with controller: true.
struct OwnerRef {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;

  bool operator==(const OwnerRef&) const = default;
};

// What an event regards, and how other places name an object.
struct ObjectRef {
  std::string api_version;
  std::string kind;
  std::string name_space;
  std::string name;
  std::string uid;

  bool operator==(const ObjectRef&) const = default;
};

// Protocol when `object` is no object or lacks metadata.name or metadata.uid. Anything else that is
// missing, null or of a wrong type reads as absent.
[[nodiscard]] Result<ObjectMeta> decode_meta(const Json& object);

// The controlling owner, or nothing.
[[nodiscard]] std::optional<OwnerRef> decode_controller(const Json& object);

// "apps" of "apps/v1", "" of "v1".
[[nodiscard]] std::string_view group_of(std::string_view api_version);

// The time under `key`, or nothing when it is absent or no RFC 3339 time.
[[nodiscard]] std::optional<WallTime> time_member(const Json& object, std::string_view key);

}  // namespace scaledcache::k8s
