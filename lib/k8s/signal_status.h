// What the status keeps of one signal: for people, and for the operator that starts after this one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"

namespace scaledcache::k8s {

struct SignalStatus {
  std::string name;
  std::optional<double> short_rate;   // requests per second over the short window
  std::optional<double> peak;         // the highest level of the long window
  std::optional<double> per_replica;  // short_rate per ready replica
  std::optional<int> wish;            // replicas that this signal alone asks for
  std::string health;                 // Fresh, Partial, Stale, Missing, Invalid, Suspect
  std::optional<Milliseconds> sample_age;
  std::optional<double> coverage;  // 0 … 1
  std::optional<int> foreign_series;
  double noise = 0;     // moving mean of squared differences, (requests per second)²
  double risk = 0;      // mean square of surprises
  double headroom = 0;  // 0 … 0.5
  std::optional<WallTime> suspect_since;
  std::optional<WallTime> last_usable_time;

  bool operator==(const SignalStatus&) const = default;
};

// Absent fields are left out.
[[nodiscard]] Json to_json(const SignalStatus& signal);

// Those that have a name, at most 64. Never fails: a field that is broken reads as absent.
[[nodiscard]] std::vector<SignalStatus> signals_from_json(const Json* list);

}  // namespace scaledcache::k8s
