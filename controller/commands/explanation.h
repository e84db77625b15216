// Why a count is what it is, told from what the cluster keeps: the ScaledCache and its events.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "controller/commands/console.h"
#include "controller/commands/outlook.h"
#include "controller/commands/yaml_text.h"

namespace scaledcache::controller {

struct PastEvent {
  WallTime time;
  bool warning = false;
  std::string reason;
  std::string note;
};

enum class RuleState { Silent, Spoke, NotAsked };

struct ToldRule {
  core::Reason rule = core::Reason::Steady;
  RuleState state = RuleState::Silent;
};

struct Explanation {
  k8s::ScaledCache cache;
  WallTime now;
  std::vector<ToldRule> rules;  // in their order; empty before the first decision
  std::vector<Growth> growth;   // empty where nothing can be decided
  std::optional<Shrinking> shrinking;
  std::vector<PastEvent> events;  // newest first
};

// The newest ten of a list of events (events.k8s.io/v1 or v1) that regard `cache`.
[[nodiscard]] std::vector<PastEvent> past_of(const std::vector<Json>& events,
                                             const k8s::ScaledCache& cache);

[[nodiscard]] Explanation explain_cache(k8s::ScaledCache cache,
                                        std::vector<PastEvent> events,
                                        WallTime now);

[[nodiscard]] OrderedJson to_json(const Explanation& explanation);

// For people, in at most 100 columns where the sentences allow it.
[[nodiscard]] std::string to_text(const Explanation& explanation, const Paint& paint);

}  // namespace scaledcache::controller
