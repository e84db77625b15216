// The only door to time. Wall time is for what status keeps and people read; steady time is for
// delays. They are different types and never converted into each other.
#pragma once

#include <chrono>
#include <stop_token>

namespace scaledcache {

using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;
using SteadyTime = std::chrono::steady_clock::time_point;
using Milliseconds = std::chrono::milliseconds;

// Thread safe.
class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;

  [[nodiscard]] virtual WallTime wall() const = 0;
  [[nodiscard]] virtual SteadyTime steady() const = 0;

  // Blocks until `deadline` or until `stop` is requested; true when the deadline was reached.
  virtual bool wait_until(SteadyTime deadline, std::stop_token stop) = 0;

  bool wait_for(Milliseconds delay, std::stop_token stop) {
    return wait_until(steady() + delay, std::move(stop));
  }
};

// The machine's clocks; lives for the whole process.
[[nodiscard]] Clock& system_clock();

}  // namespace scaledcache
