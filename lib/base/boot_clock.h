// The clock that a lease needs: it goes on while the machine is suspended, which the steady clock
// of Linux does not. Its times are a type of their own, so that they cannot be mixed with others.
#pragma once

#include <chrono>

namespace scaledcache {

// CLOCK_BOOTTIME as a clock of <chrono>, without a now(): BootClock gives it.
struct BootTimeline {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<BootTimeline, duration>;
  static constexpr bool is_steady = true;
};

using BootTime = BootTimeline::time_point;

// Thread safe.
class BootClock {
 public:
  BootClock() = default;
  BootClock(const BootClock&) = delete;
  BootClock& operator=(const BootClock&) = delete;
  virtual ~BootClock() = default;

  [[nodiscard]] virtual BootTime time() const = 0;
};

// The machine's clock; lives for the whole process.
[[nodiscard]] const BootClock& system_boot_clock();

}  // namespace scaledcache
