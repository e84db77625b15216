#include "core/reason.h"

#include "core/observation.h"

namespace scaledcache::core {

std::string_view name_of(Reason reason) {
  constexpr std::array<std::string_view, kAllReasons.size()> kNames{"Paused",
                                                                    "ScaledToZero",
                                                                    "BelowMinimum",
                                                                    "AboveMaximum",
                                                                    "Contested",
                                                                    "NoData",
                                                                    "Fallback",
                                                                    "Grow",
                                                                    "ScaleUpLimited",
                                                                    "Shrink",
                                                                    "ScaleDownLimited",
                                                                    "GuardHitRatio",
                                                                    "GuardOrigin",
                                                                    "GuardEgress",
                                                                    "ScalingIneffective",
                                                                    "CacheTooSmall",
                                                                    "GrowthCoolingDown",
                                                                    "Draining",
                                                                    "DataPartial",
                                                                    "DataSuspect",
                                                                    "AtMaximum",
                                                                    "Steady",
                                                                    "AtMinimum",
                                                                    "LongWindow",
                                                                    "RolloutInProgress",
                                                                    "Warming",
                                                                    "CoolingDown",
                                                                    "PausedDirection"};
  return kNames.at(static_cast<std::size_t>(reason));
}

std::string_view name_of(Health health) {
  switch (health) {
    case Health::Fresh:
      return "Fresh";
    case Health::Partial:
      return "Partial";
    case Health::Stale:
      return "Stale";
    case Health::Missing:
      return "Missing";
    case Health::Invalid:
      return "Invalid";
    case Health::Suspect:
      return "Suspect";
  }
  return "Unknown";
}

std::string_view name_of(Fault fault) {
  constexpr std::array<std::string_view, 20> kNames{
      "None",          "EmptyAnswer", "QueryError", "BackendUnreachable", "Timeout",
      "Unauthorized",  "Forbidden",   "TooOld",     "LowCoverage",        "MissingPods",
      "PartialAnswer", "NotANumber",  "Infinite",   "Negative",           "SeveralElements",
      "WrongType",     "BadSample",   "NoPodLabel", "ScopeMismatch",      "TooFewSamples"};
  return kNames.at(static_cast<std::size_t>(fault));
}

}  // namespace scaledcache::core
