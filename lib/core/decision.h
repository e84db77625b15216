// What one tick came to, with every number that led there.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "core/history.h"
#include "core/observation.h"
#include "core/reason.h"

namespace scaledcache::core {

// What one signal says. Rates in requests per second.
struct SignalVerdict {
  std::string name;
  Health health = Health::Missing;
  Fault fault = Fault::None;
  double short_rate = 0;
  double level = 0;     // what growth acts on
  double peak = 0;      // what shrinking acts on
  double gate = 0;      // changes below it are noise
  double boost = 0;     // look-ahead
  double headroom = 0;  // share
  double need = 0;  // (level + boost) · (1 + headroom), × 1.5 where saturated, less the baseline
  double q = 0;     // per replica
  int wish = 0;     // replicas, clamped
  bool held_back = false;  // the wish was cut because pods are silent
  int unclamped = 0;       // replicas that need would take, at most a billion
  int shrink_to = 0;       // replicas, clamped
  bool saturated = false;
  bool saturation_unknown = false;
  bool jumped = false;  // level is δ₀, not the short window
};

struct Decision {
  int from = 0;      // S: the serving count that was decided on
  int replicas = 0;  // the serving count wanted; equal to `from` where nothing changes
  Reason reason = Reason::Steady;
  History history;  // to be stored once the change was written
  Milliseconds look_again_after{5'000};

  int wish = 0;          // the largest of the signals' wishes
  int shrink_to = 0;     // where the long window points
  int min_replicas = 0;  // in force now, schedules included
  int max_replicas = 0;
  int cancel_drains = 0;  // so many drains are given up before pods are added
  double surplus = 0;     // (S − D) ÷ S
  bool fighting = false;  // another writer puts the count back
  std::vector<SignalVerdict> signals;
};

}  // namespace scaledcache::core
