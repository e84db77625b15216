// Requests of the operator's own to the pods. Probes and warm-ups count in a pod's counters like
// those of visitors, and are no demand: kept here by the second, and taken off what a counter
// shows.
#pragma once

#include <deque>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace scaledcache::core {

inline constexpr Milliseconds kOwnRequestsKept{900'000};  // the longest range selector

// How many were answered within one second, by our clock.
struct OwnRequests {
  WallTime second;
  int count = 0;

  bool operator==(const OwnRequests&) const = default;
};

// Those to one pod. Bounded: one entry a second, for kOwnRequestsKept.
class OwnLedger {
 public:
  // One was answered at `when`. A clock that is set back loses what lies a minute ahead.
  void note(WallTime when);

  // Oldest first.
  [[nodiscard]] std::vector<OwnRequests> counts() const { return {counts_.begin(), counts_.end()}; }

  // Whether nothing of it can still be in an answer.
  [[nodiscard]] bool is_over(WallTime now) const;

 private:
  std::deque<OwnRequests> counts_;
};

// What may still be taken off the increments of one pod's series; each request once. Times are
// those of an answer, in milliseconds.
class OwnShare {
 public:
  struct Part {
    double time = 0;
    double requests = 0;
  };

  OwnShare() = default;

  // `parts` in the order of their times.
  explicit OwnShare(std::vector<Part> parts) : parts_(std::move(parts)) {}

  // Takes what lies in (from, to], oldest first, and no more than `most`; returns how many.
  [[nodiscard]] double take(double from, double to, double most);

 private:
  std::vector<Part> parts_;
};

}  // namespace scaledcache::core
