// Stops asking a backend that cannot be reached, and finds out soon when it is back. Pure: time is
// an argument. Not thread safe.
#pragma once

#include <optional>

#include "base/clock.h"

namespace scaledcache::prom {

class CircuitBreaker {
 public:
  enum class Outcome {
    Answered,     // whatever the answer says: somebody is there
    Unreachable,  // no connection, connection lost, or no answer in time
    Unknown,      // cancelled before it was clear, or never sent
  };

  // How long to wait before the next try; nothing: try now. Open after kFailuresToOpen failures in
  // a row, it lets one try through after a pause of 1 s that doubles to 30 s, but is never longer
  // than `longest_pause`.
  [[nodiscard]] std::optional<Milliseconds> pause(SteadyTime now, Milliseconds longest_pause) const;

  // Marks the begin of a try that pause() allowed; true when everything hangs on it. Hand that to
  // end().
  [[nodiscard]] bool begin();
  void end(bool is_probe, Outcome outcome, SteadyTime now);

  [[nodiscard]] bool is_open() const { return failures_ >= kFailuresToOpen; }

  // True when it remembers nothing.
  [[nodiscard]] bool is_fresh() const { return failures_ == 0 && !probing_; }

  static constexpr int kFailuresToOpen = 5;
  static constexpr Milliseconds kFirstPause{1'000};
  static constexpr Milliseconds kLongestPause{30'000};

 private:
  int failures_ = 0;  // in a row; counts no further once open
  bool probing_ = false;
  SteadyTime paused_since_{};
  Milliseconds pause_ = kFirstPause;
};

}  // namespace scaledcache::prom
