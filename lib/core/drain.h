// How pods leave without losing a request: which drains begin, which are given up, and when the
// count is lowered. Pure: what it needs to know after a crash is in the intents and the goal that
// status keeps, and in the count itself.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "core/decision.h"
#include "core/history.h"
#include "core/victim.h"

namespace scaledcache::core {

// How long the pods that a lowered count took may take to be gone.
inline constexpr Milliseconds kVictimGrace{5'000};
inline constexpr Milliseconds kVictimLimit{120'000};
// A drain that has come to nothing so long after twice its period is given up.
inline constexpr Milliseconds kDrainGrace{60'000};
// Endpoints that were just removed may still be in use, whatever the rate says.
inline constexpr Milliseconds kShortestDrain{3'000};
inline constexpr std::size_t kMostDrains = 32;  // as many as status keeps

struct DrainPolicy {
  Milliseconds period{15'000};
  int max_concurrent = 1;
  VictimRules victims{};
  bool ordered_ready = false;  // a StatefulSet whose pods come and go one by one
};

// The intent to let one pod go.
struct DrainIntent {
  std::string pod;
  std::string uid;
  WallTime since{};

  bool operator==(const DrainIntent&) const = default;
};

// One living pod: neither Terminating nor finished.
struct DrainPod {
  Candidate candidate;
  std::optional<WallTime> unready_since;  // since when it has not been Ready, by our clock
  // When the requests that `candidate.rate` tells of began to be counted.
  std::optional<WallTime> rate_since;
};

// Why drains that are under way must end.
enum class DrainVeto {
  None,
  Paused,     // by annotation, or shrinking is vetoed
  Off,        // the resource no longer drains, or decides on a shadow count only
  Contested,  // somebody else is in charge of the count
  Rollout,
};

struct DrainFacts {
  int replicas = 0;                  // spec.replicas, as last read or written by us
  std::vector<DrainPod> pods;        // living, of the target
  std::vector<DrainIntent> intents;  // as status has them
  std::optional<int> goal;           // as status has it: the count once all of them are lowered
  int wanted = 0;                    // serving pods that are wanted: what decide says
  bool must = false;                 // above the maximum, or a fallback: lowers after the period
  bool data_ok = true;               // usable and not Suspect: without it nothing is lowered
  DrainVeto veto = DrainVeto::None;
  std::optional<WallTime> last_lowering;
};

// Why a drain ended.
enum class DrainEnd {
  Completed,   // the count was lowered for it and the pod went
  Cancelled,   // given up: its gate opens again
  Unexpected,  // the count was lowered and another pod went: its gate opens again
  Expired,     // it came to nothing within its limit: its gate opens again
  Lost,        // the pod went before the count was lowered for it
};

inline constexpr std::array kAllDrainEnds{DrainEnd::Completed, DrainEnd::Cancelled,
                                          DrainEnd::Unexpected, DrainEnd::Expired, DrainEnd::Lost};

[[nodiscard]] std::string_view name_of(DrainEnd end);

struct EndedDrain {
  DrainIntent intent;
  DrainEnd end = DrainEnd::Completed;

  bool operator==(const EndedDrain&) const = default;
};

// What the shell is to make true, in this order: the gates of cancelled pods open; the intents and
// the goal are stored; the pods of all intents are marked and their gates closed; the count is
// lowered.
struct DrainPlan {
  std::vector<DrainIntent> intents;  // from now on, the ones begun last at the end
  std::optional<int> goal;           // nothing where there are no intents
  std::vector<DrainIntent> start;    // those of the intents that are new
  std::vector<EndedDrain> ended;
  std::optional<int> lower_to;  // guarded by the count of the facts
  bool at_once = false;         // lower_to without a drain: the pods carry no gate
  int kept = 0;                 // pods that would have gone, but are the last of a node or zone
  std::string blocked_by;       // a pod that is not Ready, and has none above it leave before it is
  std::optional<Milliseconds> again_after;

  // Whether anything is under way.
  [[nodiscard]] bool active() const { return !intents.empty(); }
};

// The drains that still have to have the count lowered for them: what rule 12 of the decision calls
// "the pods being drained". S is the count less these.
[[nodiscard]] int pending_drains(const DrainFacts& facts);

// One look. Called again with the same facts it plans the same; where a write of the plan got lost,
// the next look finds the difference and plans the rest.
[[nodiscard]] DrainPlan plan_drain(const DrainPolicy& policy,
                                   const DrainFacts& facts,
                                   WallTime now);

// The history after a decision to shrink for which pods are drained first: the count stands, and
// the times of the last change are those of before.
[[nodiscard]] History with_count_standing(const Decision& decision,
                                          const History& before,
                                          int replicas);

// The history after the count was lowered for drained pods.
[[nodiscard]] History with_count_lowered(History history, int from, int to, WallTime now);

}  // namespace scaledcache::core
