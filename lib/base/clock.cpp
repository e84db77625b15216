#include "base/clock.h"

#include <condition_variable>
#include <mutex>

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

}  // namespace

Clock& system_clock() {
  static SystemClock clock;
  return clock;
}

}  // namespace scaledcache
