#include "prom/circuit_breaker.h"

#include <algorithm>

namespace scaledcache::prom {

std::optional<Milliseconds> CircuitBreaker::pause(SteadyTime now,
                                                  Milliseconds longest_pause) const {
  if (!is_open()) {
    return std::nullopt;
  }
  const Milliseconds pause = std::clamp(longest_pause, kFirstPause, pause_);
  if (probing_) {
    return pause;  // wait for what the probe finds
  }
  const auto left = std::chrono::ceil<Milliseconds>(paused_since_ + pause - now);
  return left > Milliseconds::zero() ? std::optional(left) : std::nullopt;
}

bool CircuitBreaker::begin() {
  probing_ = probing_ || is_open();
  return is_open();
}

void CircuitBreaker::end(bool is_probe, Outcome outcome, SteadyTime now) {
  if (outcome == Outcome::Answered) {
    *this = {};
    return;
  }
  if (is_probe) {
    probing_ = false;
  }
  if (outcome == Outcome::Unknown || (is_open() && !is_probe)) {
    return;  // tries from before it opened tell nothing new
  }
  if (is_probe) {
    pause_ = std::min(pause_ * 2, kLongestPause);
  } else {
    ++failures_;
  }
  paused_since_ = now;
}

}  // namespace scaledcache::prom
