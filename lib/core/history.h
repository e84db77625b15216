// What one decision leaves for the next. Plain values: a copy is a snapshot, and the same history
// with the same observation gives the same decision.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "core/constants.h"
#include "core/windows.h"

namespace scaledcache::core {

struct SignalHistory {
  std::string name;
  PeakWindow peak;           // of the level, over the long window and what headroom looks back
  PeakWindow baseline_lack;  // of −B, so that its peak is the fewest baseline pods
  std::optional<PeakWindow::Bucket> last_peak;  // of the long window at the last tick
  ShareWindow fresh;  // ticks that were Fresh, or Suspect with an exporter that is alive, over the
                      // long window
  double noise = 0;   // σ²: moving mean of (δ₀ − δ₁)², (requests per second)²
  double risk = 0;    // mean square of surprises
  std::optional<WallTime> suspect_since;
  double before_suspect = 0;  // the rate that fell, requests per second; it is back at 5 % of it
  std::optional<double> last_value;  // a query's value before
  std::optional<WallTime> last_usable;
  std::optional<WallTime> last_fresh;
  std::optional<WallTime> fresh_since;  // start of the present run of Fresh ticks
  std::optional<WallTime> saturated_at;
  int saturated_ticks = 0;                // in a row, up to now
  std::optional<WallTime> newest_sample;  // by the backend's clock
  std::optional<WallTime> advanced_at;    // when newest_sample last moved, by ours
  std::optional<Milliseconds> scrape_interval;
  std::optional<Milliseconds> lag;       // from the windows' end to the answer
  bool has_served = false;               // above 1 request per second, since the start or in status
  std::optional<WallTime> served_since;  // when that was first seen; nothing: before the start
  bool filled = false;                   // the past before the first tick was added

  bool operator==(const SignalHistory&) const = default;
};

struct Change {
  WallTime time;
  int from = 0;
  int to = 0;
  bool ours = true;

  bool operator==(const Change&) const = default;
};

struct History {
  std::vector<SignalHistory> signals;
  std::optional<int> replicas;  // spec.replicas as last seen or written
  std::optional<int> shadow;    // the count that dryRun decides on
  std::optional<WallTime> first_tick;
  std::optional<WallTime> last_tick;
  std::optional<WallTime> last_usable;  // any signal; the grace counts from here
  std::optional<WallTime> last_up;
  std::optional<WallTime> last_down;
  bool last_up_is_start = false;          // last_up is the start without a status, not a growth
  std::optional<Change> last_change;      // of any writer
  std::optional<Change> last_own_change;  // what a foreign write may undo
  Milliseconds idle{0};                   // surplus × time, for patience
  Milliseconds lead = kFirstLead;         // patch to warm, moving mean
  std::optional<int> parked;              // the paused-replicas value that was already obeyed
  std::vector<WallTime> undone;  // newest foreign writes that undid ours, at most 3, oldest first
  std::optional<WallTime> last_fight_write;
  bool contended = false;  // an HPA was there at the last tick
  std::optional<WallTime> outage_hold_until;
  std::string rollout_revision;
  std::optional<WallTime> rollout_since;

  bool operator==(const History&) const = default;
};

// The part of a signal's history that status keeps.
struct KeptSignal {
  std::string name;
  std::optional<double> peak;  // requests per second
  double noise = 0;
  double risk = 0;
  std::optional<WallTime> suspect_since;
  std::optional<WallTime> last_usable;
};

// What status keeps so that a restart or a new leader changes nothing.
struct KeptStatus {
  std::optional<int> desired_replicas;  // of the last decision
  std::optional<WallTime> last_up;
  std::optional<WallTime> last_down;
  std::optional<Change> last_change;
  Milliseconds idle{0};
  std::optional<WallTime> peak_time;
  Milliseconds lead = kFirstLead;
  std::optional<int> paused_replicas;
  std::vector<WallTime> foreign_writes;
  std::optional<WallTime> outage_hold_until;
  std::vector<KeptSignal> signals;
};

[[nodiscard]] KeptStatus keep(const History& history);

// The history of a resource that has a status. A stored time in the future counts as `now`.
[[nodiscard]] History restore(const KeptStatus& status, WallTime now);

// The history of a resource without one: nothing shrinks in its first cooldown.
[[nodiscard]] History first_history(WallTime now);

[[nodiscard]] const SignalHistory* find_signal(const History& history, std::string_view name);

}  // namespace scaledcache::core
