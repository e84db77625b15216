// Time zones as values: what a local clock was and will be ahead of UTC.
#pragma once

#include <chrono>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace scaledcache {

// From `from` on, local time is UTC plus `offset`.
struct ZoneOffset {
  WallTime from;
  std::chrono::seconds offset{0};

  bool operator==(const ZoneOffset&) const = default;
};

// A time zone from 2000 to 2100, oldest first; before the first entry its offset holds. Empty is
// UTC.
using Zone = std::vector<ZoneOffset>;

// Reads an IANA zone ("Europe/Berlin") from the machine's time zone database. Invalid where there
// is no such zone or no database. Thread safe.
[[nodiscard]] Result<Zone> load_zone(std::string_view name);

}  // namespace scaledcache
