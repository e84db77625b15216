#include "base/clock.h"

#include <condition_variable>
#include <ctime>
#include <mutex>

#include "base/boot_clock.h"

namespace scaledcache {
namespace {

class SystemClock final : public Clock {
 public:
  [[nodiscard]] WallTime wall() const override {
    return std::chrono::time_point_cast<Milliseconds>(std::chrono::system_clock::now());
  }

  [[nodiscard]] SteadyTime steady() const override { return std::chrono::steady_clock::now(); }

  bool wait_until(SteadyTime deadline, std::stop_token stop) override {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_lock lock(mutex);
    changed.wait_until(lock, stop, deadline, [] { return false; });
    return !stop.stop_requested();
  }
};

class SystemBootClock final : public BootClock {
 public:
  [[nodiscard]] BootTime time() const override {
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    return BootTime{std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec}};
  }
};

}  // namespace

Clock& system_clock() {
  static SystemClock clock;
  return clock;
}

const BootClock& system_boot_clock() {
  static const SystemBootClock clock;
  return clock;
}

}  // namespace scaledcache
