// What the status of a ScaledCache says about single pods: how warm each is, and which are on their
// way out.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"

namespace scaledcache::k8s {

inline constexpr std::size_t kMaxPodsInStatus = 32;

// One pod as people read it.
struct PodStatus {
  std::string name;
  std::string state;               // Cold, Warming, Warm, Draining, Ungated
  std::optional<int> hit_percent;  // of the last proof
  std::optional<double> seconds;   // that the last warm-up took, or has taken so far
  std::string message;

  bool operator==(const PodStatus&) const = default;
};

// The intent to let a pod go, kept so that a crash at any point is resumed or rolled back.
struct DrainIntent {
  std::string pod;
  std::string uid;
  WallTime since{};

  bool operator==(const DrainIntent&) const = default;
};

// At most kMaxPodsInStatus entries are written or read; the first ones count. Entries that lack a
// name (a drain: name, UID or time) are dropped.
[[nodiscard]] Json to_json(const std::vector<PodStatus>& pods);
[[nodiscard]] Json to_json(const std::vector<DrainIntent>& drains);
[[nodiscard]] std::vector<PodStatus> pods_from_json(const Json* list);
[[nodiscard]] std::vector<DrainIntent> drains_from_json(const Json* list);

}  // namespace scaledcache::k8s
