// What the user asked for, in the units that deciding needs. Every member's initialiser is the
// default of the resource; ranges are checked where the resource is read.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "core/constants.h"
#include "core/schedule.h"

namespace scaledcache::core {

enum class SignalKind { Counter, Query };

// How a saturation query counts: a rate against the level, a gauge by lasting.
enum class SaturationKind { None, Rate, Gauge };

enum class FallbackBehavior { Hold, Static, CurrentOrHigher, CurrentOrLower, Maximum };
enum class Headroom { Learned, None };
enum class GuardMode { Observe, Enforce };

struct SignalPolicy {
  std::string name = "requests";
  SignalKind kind = SignalKind::Counter;
  std::string pod_label = "pod";    // empty: samples cannot be mapped to pods
  double requests_per_replica = 0;  // requests per second
  int target_utilization_percent = 100;
  double activation_rate = 0;  // requests per second; gates 0 <-> 1 only
  bool includes_baseline = false;
  SaturationKind saturation = SaturationKind::None;

  // Requests per second that one replica is planned for.
  [[nodiscard]] double q() const {
    return requests_per_replica * target_utilization_percent / 100.0;
  }

  bool operator==(const SignalPolicy&) const = default;
};

struct BaselinePolicy {
  double requests_per_replica = 0;  // requests per second that one baseline pod carries

  bool operator==(const BaselinePolicy&) const = default;
};

struct ScaleUpPolicy {
  int tolerance_percent = 0;
  int max_factor = 4;
  int max_pods = 4;
  int look_ahead_percent = 25;  // 0 = off
  Headroom headroom = Headroom::Learned;
  Milliseconds cooldown{0};

  bool operator==(const ScaleUpPolicy&) const = default;
};

struct ScaleDownPolicy {
  int tolerance_percent = 10;
  int step_percent = 25;
  Milliseconds interval{60'000};
  int patience_percent = 25;  // 0 = off
  int outage_hold = 1;        // 1 = off

  bool operator==(const ScaleDownPolicy&) const = default;
};

struct FallbackPolicy {
  FallbackBehavior behavior = FallbackBehavior::Hold;
  int replicas = 0;  // unused for Hold and Maximum

  bool operator==(const FallbackPolicy&) const = default;
};

struct Policy {
  int min_replicas = 1;
  int max_replicas = 1;
  Milliseconds poll_interval{5'000};
  Milliseconds short_window{30'000};
  Milliseconds long_window{300'000};
  Milliseconds cooldown{300'000};
  std::vector<SignalPolicy> signals;
  std::optional<BaselinePolicy> baseline;
  std::vector<Schedule> schedules;
  ScaleUpPolicy scale_up;
  ScaleDownPolicy scale_down;
  FallbackPolicy fallback;
  Milliseconds failure_grace{180'000};
  std::optional<Milliseconds> max_sample_age;  // nothing: learned from the scrape interval
  bool dry_run = false;

  bool operator==(const Policy&) const = default;
};

// A query counts as a rate where it contains `rate(` or `increase(`; an empty one is none.
[[nodiscard]] inline SaturationKind saturation_kind_of(std::string_view query) {
  if (query.empty()) {
    return SaturationKind::None;
  }
  const bool is_rate = query.find("rate(") != std::string_view::npos ||
                       query.find("increase(") != std::string_view::npos;
  return is_rate ? SaturationKind::Rate : SaturationKind::Gauge;
}

// The interval that δ₀ … δ₃ are measured over: the scrape interval, at least 10 s.
[[nodiscard]] inline Milliseconds interval_of(std::optional<Milliseconds> scrape_interval) {
  return std::max(scrape_interval.value_or(Milliseconds{0}), kShortestInterval);
}

// How old the newest sample may be for its signal to be Fresh.
[[nodiscard]] inline Milliseconds max_sample_age_of(const Policy& policy,
                                                    std::optional<Milliseconds> scrape_interval) {
  const Milliseconds learned = 3 * scrape_interval.value_or(Milliseconds{0});
  return policy.max_sample_age.value_or(std::max(Milliseconds{30'000}, learned));
}

// The range selector `w` of a counter query: the short window and four intervals; more where the
// windows' end lags so far behind (`lag`, as last seen) that they would not fit.
[[nodiscard]] inline Milliseconds answer_window(const Policy& policy,
                                                std::optional<Milliseconds> scrape_interval,
                                                std::optional<Milliseconds> lag = std::nullopt) {
  const Milliseconds scrape = scrape_interval.value_or(Milliseconds{0});
  const Milliseconds four = 4 * interval_of(scrape_interval);
  const Milliseconds edges = lag.value_or(scrape) + scrape;
  return std::max(policy.short_window + four, std::max(policy.short_window, four) + edges);
}

// The range selector of the first query, from which the history is filled as well: the long window,
// at most 15 minutes, and never less than what a tick needs.
[[nodiscard]] inline Milliseconds first_answer_window(const Policy& policy) {
  constexpr Milliseconds kMost = std::chrono::minutes{15};
  return std::max(std::min(policy.long_window, kMost) + policy.short_window,
                  answer_window(policy, Milliseconds{30'000}));
}

}  // namespace scaledcache::core
