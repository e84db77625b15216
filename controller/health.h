// Whether a restart would help (live) and whether the operator does its work (ready).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "controller/feed.h"

namespace scaledcache::controller {

// A watch that has not even tried for this long is wedged; an outage of the API server is not that,
// since a failed attempt counts as progress.
inline constexpr Milliseconds kWatchStuck{600'000};
inline constexpr Milliseconds kWorkStuck{300'000};
inline constexpr Milliseconds kLeaseStuck{120'000};

struct HealthInput {
  std::vector<WatchReport> watches;
  std::optional<Milliseconds> oldest_in_flight;
  SteadyTime now;
  std::optional<Milliseconds> lease_silence{};  // since the last attempt at the lease, if any
};

// Why the process should be restarted, or nothing.
[[nodiscard]] std::optional<std::string> judge_liveness(const HealthInput& input);

// Why it does not do its work yet, or nothing.
[[nodiscard]] std::optional<std::string> judge_readiness(const std::vector<WatchReport>& watches);

}  // namespace scaledcache::controller
