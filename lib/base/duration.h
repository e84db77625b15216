// Durations as people type them in manifests and flags: "30s", "5m", "1h30m", "250ms", "1.5h".
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.h"

namespace scaledcache {

// Accepts ^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$ of at most 16 characters, and "0"; rounds to
// milliseconds. Invalid names the text and what is allowed.
[[nodiscard]] Result<std::chrono::milliseconds> parse_duration(std::string_view text);

// The shortest form that parse_duration reads back: "5m", "1h30m", "2.5s", "0s".
[[nodiscard]] std::string format_duration(std::chrono::milliseconds duration);

}  // namespace scaledcache
