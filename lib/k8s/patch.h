// A body for PATCH together with the media type that says how the API server applies it.
#pragma once

#include <string>
#include <string_view>

namespace scaledcache::k8s {

inline constexpr std::string_view kJsonPatch = "application/json-patch+json";
inline constexpr std::string_view kMergePatch = "application/merge-patch+json";
inline constexpr std::string_view kStrategicMergePatch = "application/strategic-merge-patch+json";

struct Patch {
  std::string_view media_type;
  std::string body;

  bool operator==(const Patch&) const = default;
};

}  // namespace scaledcache::k8s
