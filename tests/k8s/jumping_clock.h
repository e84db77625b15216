// A clock that jumps to the end of every wait, so that a test sees how long the caller would have
// waited. For tests of one thread.
#pragma once

#include <stop_token>
#include <vector>

#include "base/clock.h"

namespace scaledcache::k8s {

class JumpingClock final : public Clock {
 public:
  [[nodiscard]] WallTime wall() const override { return {}; }

  [[nodiscard]] SteadyTime steady() const override { return now_; }

  bool wait_until(SteadyTime deadline, std::stop_token stop) override {
    if (stop.stop_requested()) {
      return false;
    }
    if (deadline > now_) {
      waits_.push_back(std::chrono::duration_cast<Milliseconds>(deadline - now_));
      now_ = deadline;
    }
    return true;
  }

  void advance(Milliseconds by) { now_ += by; }

  // Each wait, in order.
  [[nodiscard]] const std::vector<Milliseconds>& waits() const { return waits_; }

  [[nodiscard]] Milliseconds waited() const {
    Milliseconds sum{0};
    for (const Milliseconds wait : waits_) {
      sum += wait;
    }
    return sum;
  }

 private:
  SteadyTime now_{};
  std::vector<Milliseconds> waits_;
};

}  // namespace scaledcache::k8s
