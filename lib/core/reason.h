// The names of the rules: why the count is what it is.
#pragma once

#include <array>
#include <string_view>

namespace scaledcache::core {

// In the order of decision.md section 4.
enum class Reason {
  Paused,
  ScaledToZero,
  BelowMinimum,
  AboveMaximum,
  Contested,
  NoData,
  Fallback,
  Grow,
  ScaleUpLimited,
  Shrink,
  ScaleDownLimited,
  GuardHitRatio,
  GuardOrigin,
  GuardEgress,
  ScalingIneffective,
  CacheTooSmall,
  GrowthCoolingDown,
  Draining,
  DataPartial,
  DataSuspect,
  AtMaximum,
  Steady,
  AtMinimum,
  LongWindow,
  RolloutInProgress,
  Warming,
  CoolingDown,
  PausedDirection,
};

inline constexpr std::array kAllReasons{Reason::Paused,
                                        Reason::ScaledToZero,
                                        Reason::BelowMinimum,
                                        Reason::AboveMaximum,
                                        Reason::Contested,
                                        Reason::NoData,
                                        Reason::Fallback,
                                        Reason::Grow,
                                        Reason::ScaleUpLimited,
                                        Reason::Shrink,
                                        Reason::ScaleDownLimited,
                                        Reason::GuardHitRatio,
                                        Reason::GuardOrigin,
                                        Reason::GuardEgress,
                                        Reason::ScalingIneffective,
                                        Reason::CacheTooSmall,
                                        Reason::GrowthCoolingDown,
                                        Reason::Draining,
                                        Reason::DataPartial,
                                        Reason::DataSuspect,
                                        Reason::AtMaximum,
                                        Reason::Steady,
                                        Reason::AtMinimum,
                                        Reason::LongWindow,
                                        Reason::RolloutInProgress,
                                        Reason::Warming,
                                        Reason::CoolingDown,
                                        Reason::PausedDirection};

[[nodiscard]] std::string_view name_of(Reason reason);

// What the rule of that name watches for, as half a sentence.
[[nodiscard]] std::string_view meaning_of(Reason reason);

}  // namespace scaledcache::core
