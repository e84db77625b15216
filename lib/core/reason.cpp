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

std::string_view meaning_of(Reason reason) {
  constexpr std::array<std::string_view, kAllReasons.size()> kMeanings{
      "an annotation pauses, or parks the fleet at a count",
      "a person set the count to 0; it stays there",
      "the count is below the minimum in force",
      "the count is above maxReplicas",
      "another autoscaler is in charge, or another writer puts the count back",
      "a signal has no usable data",
      "no usable data for failureGrace, and a fallback is set",
      "the short window, or a real jump, needs more replicas",
      "as Grow, cut by scaleUp.maxFactor and maxPods",
      "nothing holds: one step towards what the long window needs",
      "as Shrink, one step at a time",
      "growth is vetoed: the hit ratio is under guards.minHitPercent",
      "growth is vetoed: the origin gets more than it may",
      "growth is vetoed: the road to the visitors is full",
      "growth is vetoed: the last pods did not help",
      "growth is vetoed: the cache of each pod is too small",
      "the last growth is younger than scaleUp.cooldown",
      "pods are draining",
      "not every pod shows its samples",
      "the rate all but vanished from one sample to the next",
      "the load needs more than maxReplicas",
      "the short window needs what is there",
      "the count is at the minimum, and the load asks for no more",
      "the long window still needs it, lacks fresh data, or the surplus has not lasted",
      "a rollout is under way",
      "pods are still warming",
      "the last growth is younger than the cooldown",
      "an annotation forbids this direction"};
  return kMeanings.at(static_cast<std::size_t>(reason));
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
