// Guards on growth, and the dip that a change of the count costs: what cold caches do to the
// fleet's hit ratio and to its origin. Pure.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "core/reason.h"

namespace scaledcache::core {

// What the whole fleet shows; nothing where nobody knows.
struct FleetReading {
  std::optional<double> hit_ratio;    // of its lookups, 0 … 1
  std::optional<double> origin_rate;  // requests per second that go on to the origin
  std::optional<double> egress;       // bits per second

  bool operator==(const FleetReading&) const = default;
};

// Nothing: no such guard.
struct GuardLimits {
  std::optional<double> min_hit_ratio;
  std::optional<double> max_origin_rate;  // requests per second
  std::optional<double> max_egress;       // bits per second

  [[nodiscard]] bool any() const { return min_hit_ratio || max_origin_rate || max_egress; }
};

// Why the fleet must not grow now; nothing where it may. A low hit ratio counts only after a step
// (`just_grown`): then it shows caches that are not warm yet, while one that is always low must not
// hold a fleet for ever. What is unknown breaks no limit.
[[nodiscard]] std::optional<Reason> growth_veto(const GuardLimits& limits,
                                                const FleetReading& reading,
                                                bool just_grown);

// A dip is watched for at least one minute, since rates lag, and for at most ten.
inline constexpr Milliseconds kShortestDip{60'000};
inline constexpr Milliseconds kLongestDip{600'000};
// What follows a growth is measured for so long with every pod warm, since rates lag.
inline constexpr Milliseconds kSettled{30'000};
inline constexpr double kDipOver = 0.01;  // of the hit ratio: so close to before, it is over

// What the fleet bears; nothing where nobody knows.
struct FleetLoad {
  std::optional<double> served;  // requests per second
  int pods = 0;                  // that are ready
  bool refuses = false;          // requests

  bool operator==(const FleetLoad&) const = default;
};

// One change of the count and what it cost.
struct Dip {
  WallTime since;
  int from = 0;
  int to = 0;
  FleetReading before;
  FleetReading worst;
  FleetReading after;
  std::optional<Milliseconds> warm_after;  // from the change until every pod was warm
  int steps = 1;                           // writes of the count that it is made of
  FleetLoad load_before{};
  FleetLoad load_after{};

  bool operator==(const Dip&) const = default;
};

[[nodiscard]] Dip begin_dip(int from, int to, const FleetReading& before, WallTime now);

// Takes a reading in; true once the dip is over and can be reported.
[[nodiscard]] bool advance_dip(Dip& dip, const FleetReading& reading, bool all_warm, WallTime now);

// One sentence: "4 → 8 replicas: hit ratio 96.1 %, 91.0 % at worst, 96.0 % after; …".
[[nodiscard]] std::string describe_dip(const Dip& dip);

}  // namespace scaledcache::core
