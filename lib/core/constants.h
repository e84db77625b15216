// The numbers of docs/decision.md that no policy changes, each named once. A test compares them
// with the document.
#pragma once

#include <cstddef>

#include "base/clock.h"

namespace scaledcache::core {

// Samples to rates.
inline constexpr Milliseconds kShortestInterval{10'000};  // δ₀ … δ₃ are measured over at least this
inline constexpr double kCurrentScrapes =
    1.5;                                     // a series is current if no further behind the newest
inline constexpr double kJudgedScrapes = 2;  // a pod is judged once it was ready for so many
inline constexpr int kStandstillScrapes =
    2;                                   // a counter that does not move for so many stands still
inline constexpr double kServing = 1.0;  // requests per second above which silence is suspicious

// Health.
inline constexpr double kFreshCoverage = 0.9;
inline constexpr double kUsableCoverage = 0.5;
inline constexpr double kFallen = 0.05;  // under this share of what was before, suspect
inline constexpr double kPartialGrowth =
    0.25;                                   // share of S by which one tick grows on partial data
inline constexpr double kFreshShare = 0.9;  // of the long window's ticks, for shrinking

// Noise.
inline constexpr double kGateArrivals = 4;  // standard deviations of independent arrivals
inline constexpr double kGateNoise = 3;     // standard deviations of what the signal has shown
inline constexpr double kNoiseClip = 9;     // one term counts for no more than so many variances
inline constexpr Milliseconds kNoiseMemory{30 * 60'000};

// Look-ahead.
inline constexpr double kRampLevel = 0.9;  // of what S replicas are planned for
inline constexpr double kLeadWeight = 0.3;
inline constexpr Milliseconds kFirstLead{30'000};
inline constexpr Milliseconds kLongestLead{180'000};

// Saturation.
inline constexpr double kSaturationFactor = 1.5;
inline constexpr double kSaturatedShare = 0.001;  // refused, of the level
inline constexpr int kSaturatedTicks = 3;         // a gauge above 0, in a row

// Headroom.
inline constexpr double kSurpriseCap = 0.25;
inline constexpr double kHeadroomFactor = 4;
inline constexpr double kHeadroomCap = 0.5;
inline constexpr Milliseconds kRiskMemory{4 * 3'600'000};

// Holding.
inline constexpr Milliseconds kRolloutHold{30 * 60'000};
inline constexpr double kWarmingLeads = 3;  // a pod counts as warming for at most so many leads
inline constexpr Milliseconds kFightMemory{3'600'000};
inline constexpr std::size_t kFightWrites = 3;
inline constexpr Milliseconds kFightGrowth{60'000};  // in a fight, growth is written once per this

inline constexpr double kEpsilon = 1e-6;  // replicas: 10.0000001 is not 11

}  // namespace scaledcache::core
