// What would change a count: found by asking the decision itself, on the numbers that status keeps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/decide.h"
#include "k8s/scaled_cache.h"

namespace scaledcache::controller {

// One ScaledCache as its operator saw it last, as far as status tells: rates stand as they are, and
// have stood for the long window.
struct Situation {
  core::Policy policy;
  core::Observation observation;
  core::History history;
  WallTime now;

  [[nodiscard]] int serving() const { return observation.replicas - observation.draining; }
};

// For a cache without problems that has decided before.
[[nodiscard]] Situation situation_of(const k8s::ScaledCache& cache, WallTime now);

struct Growth {
  std::string signal;
  std::optional<double> at;  // requests per second; nothing: no rate makes it grow
  int to = 0;
  core::Reason held_by = core::Reason::Steady;  // where nothing makes it grow
};

// One entry per signal, each with the others as they are.
[[nodiscard]] std::vector<Growth> when_it_grows(const Situation& situation);

struct Shrinking {
  std::optional<WallTime> due;  // while all rates stay as they are; nothing: they need the count
  int to = 0;                   // at `due`
  std::optional<double> below;  // share of today's rates under which it shrinks
  std::optional<WallTime> earliest;             // whatever the rates; nothing: it does not shrink
  core::Reason held_by = core::Reason::Steady;  // what holds until then
};

[[nodiscard]] Shrinking when_it_shrinks(const Situation& situation);

}  // namespace scaledcache::controller
