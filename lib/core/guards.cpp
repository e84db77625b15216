#include "core/guards.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>

#include "base/duration.h"

namespace scaledcache::core {
namespace {

std::string text_of(double value, const char* unit) {
  std::array<char, 48> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.1f %s", value, unit);
  return {text.data(), static_cast<std::size_t>(std::max(0, length))};
}

std::string percent(const std::optional<double>& ratio) {
  return ratio ? text_of(*ratio * 100, "%") : "unknown";
}

std::string rate(const std::optional<double>& requests) {
  return requests ? text_of(*requests, "req/s") : "unknown";
}

template <class Worse>
void keep_worst(std::optional<double>& worst, const std::optional<double>& now, Worse worse) {
  if (now && (!worst || worse(*now, *worst))) {
    worst = now;
  }
}

// Where nobody knows the hit ratio, time alone ends a dip.
bool has_recovered(const Dip& dip) {
  return !dip.before.hit_ratio || !dip.after.hit_ratio ||
         *dip.after.hit_ratio >= *dip.before.hit_ratio - kDipOver;
}

}  // namespace

std::optional<Reason> growth_veto(const GuardLimits& limits,
                                  const FleetReading& reading,
                                  bool just_grown) {
  if (just_grown && limits.min_hit_ratio && reading.hit_ratio &&
      *reading.hit_ratio < *limits.min_hit_ratio) {
    return Reason::GuardHitRatio;
  }
  if (limits.max_origin_rate && reading.origin_rate &&
      *reading.origin_rate > *limits.max_origin_rate) {
    return Reason::GuardOrigin;
  }
  if (limits.max_egress && reading.egress && *reading.egress > *limits.max_egress) {
    return Reason::GuardEgress;
  }
  return std::nullopt;
}

Dip begin_dip(int from, int to, const FleetReading& before, WallTime now) {
  Dip dip;
  dip.since = now;
  dip.from = from;
  dip.to = to;
  dip.before = dip.worst = dip.after = before;
  return dip;
}

bool advance_dip(Dip& dip, const FleetReading& reading, bool all_warm, WallTime now) {
  const Milliseconds age = std::max(Milliseconds{0}, now - dip.since);
  keep_worst(dip.worst.hit_ratio, reading.hit_ratio, std::less<>());
  keep_worst(dip.worst.origin_rate, reading.origin_rate, std::greater<>());
  keep_worst(dip.worst.egress, reading.egress, std::greater<>());
  dip.after = reading;
  if (all_warm && !dip.warm_after) {
    dip.warm_after = age;
  } else if (!all_warm) {
    dip.warm_after.reset();
  }
  const bool grew = dip.to > dip.from;
  const bool settled = all_warm && (!grew || age >= *dip.warm_after + kSettled);
  return age >= kLongestDip || (settled && age >= kShortestDip && has_recovered(dip));
}

std::string describe_dip(const Dip& dip) {
  std::string text =
      std::to_string(dip.from) + " → " + std::to_string(dip.to) + " replicas: hit ratio " +
      percent(dip.before.hit_ratio) + ", " + percent(dip.worst.hit_ratio) + " at worst, " +
      percent(dip.after.hit_ratio) + " after; to the origin " + rate(dip.before.origin_rate) +
      ", " + rate(dip.worst.origin_rate) + " at worst, " + rate(dip.after.origin_rate) + " after";
  if (dip.to > dip.from) {
    text += dip.warm_after ? "; all warm after " + format_duration(*dip.warm_after)
                           : "; not all warm after " + format_duration(kLongestDip);
  }
  return text;
}

}  // namespace scaledcache::core
