// Whether growth helps: what a fleet serves, refuses and asks of its origin before a growth and
// after it, when every new pod is warm. Pure.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "core/guards.h"
#include "core/reason.h"

namespace scaledcache::core {

// What a growth came to. The names are those of the condition ScalingEffective and live for ever.
enum class Effect {
  NoEvidence,          // it cannot be told
  Effective,           // more is served, or each pod has less to do
  NoTrafficToNewPods,  // the new pods are asked for next to nothing
  SingleNodeFunnel,    // likewise, and one node takes all requests
  AtEgressLimit,       // requests are still refused: the road is full
  OriginBound,         // the origin has to answer more than before, or it is what refuses
  BottleneckUpstream,  // requests are still refused, and no more are served
};

inline constexpr std::array kAllEffects{Effect::NoEvidence,         Effect::Effective,
                                        Effect::NoTrafficToNewPods, Effect::SingleNodeFunnel,
                                        Effect::AtEgressLimit,      Effect::OriginBound,
                                        Effect::BottleneckUpstream};

[[nodiscard]] std::string_view name_of(Effect effect);

// NoEvidence where the name is none of ours.
[[nodiscard]] Effect effect_named(std::string_view name);

[[nodiscard]] constexpr bool is_failure(Effect effect) {
  return effect != Effect::NoEvidence && effect != Effect::Effective;
}

// One ready pod and what it serves.
struct PodShare {
  std::string node;
  double rate = 0;      // requests per second
  bool is_new = false;  // came with the growth, and has been ready for kSettled at least
};

inline constexpr double kLeastShare = 0.2;   // of what an older pod serves, for a new one
inline constexpr double kFunnelShare = 0.9;  // of all requests, on one node
inline constexpr double kLeastGain = 0.25;   // of what as many more pods should serve more
inline constexpr double kHitsFell = 0.05;    // of all lookups: fewer hits than before
inline constexpr double kRoadFull = 0.95;    // of the egress limit
inline constexpr int kFailedSteps = 2;       // in a row, before growth counts as ineffective
// Growth that is stopped is tried again, one step, so long after the last one.
inline constexpr Milliseconds kEffectHold{1'800'000};

// Judges a growth whose dip has ended. `pods` may be empty where nobody knows what each serves.
[[nodiscard]] Effect judge_effect(const Dip& dip,
                                  const GuardLimits& limits,
                                  std::span<const PodShare> pods);

// One sentence with the numbers.
[[nodiscard]] std::string describe_effect(const Dip& dip, Effect effect);

// What the last growths of one fleet have come to.
struct EffectRecord {
  Effect newest = Effect::NoEvidence;
  int failed_steps = 0;  // in a row
  std::string evidence;  // of the newest

  // So many steps in a row were of no use.
  [[nodiscard]] bool ineffective() const { return failed_steps >= kFailedSteps; }

  bool operator==(const EffectRecord&) const = default;
};

// Takes a judged growth in; one that tells nothing changes nothing.
void note_effect(EffectRecord& record, const Dip& dip, Effect effect);

// A fleet that shrinks has another size to be judged by.
void note_shrink(EffectRecord& record);

// Why an enforced guard stops growth now; nothing where it may grow.
[[nodiscard]] std::optional<Reason> effect_veto(const EffectRecord& record,
                                                std::optional<WallTime> last_up,
                                                WallTime now);

}  // namespace scaledcache::core
