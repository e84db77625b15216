// Timestamps as Kubernetes writes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace scaledcache {

// "2026-01-02T03:04:05Z": metav1.Time.
[[nodiscard]] std::string format_time(WallTime time);

// "2026-01-02T03:04:05.678000Z": metav1.MicroTime.
[[nodiscard]] std::string format_micro_time(WallTime time);

// Reads RFC 3339 with an optional fraction and any offset, to the millisecond; nothing if it is
// not.
[[nodiscard]] std::optional<WallTime> parse_time(std::string_view text);

// Reads an HTTP Date header ("Mon, 30 Nov 2026 17:34:22 GMT"); nothing if it is not one.
[[nodiscard]] std::optional<WallTime> parse_http_date(std::string_view text);

}  // namespace scaledcache
