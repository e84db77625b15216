// Counts of replicas as the API server writes them: 32-bit, never negative.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "base/json.h"

namespace scaledcache::k8s {

// The count under `key`: `fallback` when it is absent or null, nothing when it is no integer from 0
// to 2^31 - 1.
[[nodiscard]] inline std::optional<int> count_member(const Json& object,
                                                     std::string_view key,
                                                     int fallback) {
  const Json* member = find_member(object, key);
  if (member == nullptr || member->is_null()) {
    return fallback;
  }
  if (!member->is_number_integer()) {
    return std::nullopt;
  }
  if (member->is_number_unsigned() && member->get<std::uint64_t>() > std::uint64_t{INT32_MAX}) {
    return std::nullopt;
  }
  const auto count = member->get<std::int64_t>();
  if (count < 0 || count > INT32_MAX) {
    return std::nullopt;
  }
  return static_cast<int>(count);
}

}  // namespace scaledcache::k8s
