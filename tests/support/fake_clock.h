// A clock that stands still until a test moves it.
#pragma once

#include <condition_variable>
#include <mutex>

#include "base/clock.h"

namespace scaledcache::support {

// Thread safe. Waiters return as soon as advance() passes their deadline.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(WallTime start = WallTime{std::chrono::sys_days{std::chrono::year{2026} / 1 /
                                                                     1}})
      : wall_(start) {}

  [[nodiscard]] WallTime wall() const override {
    std::lock_guard lock(mutex_);
    return wall_;
  }

  [[nodiscard]] SteadyTime steady() const override {
    std::lock_guard lock(mutex_);
    return steady_;
  }

  bool wait_until(SteadyTime deadline, std::stop_token stop) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, stop, [&] { return steady_ >= deadline; });
    return steady_ >= deadline;
  }

  void advance(Milliseconds by) {
    {
      std::lock_guard lock(mutex_);
      wall_ += by;
      steady_ += by;
    }
    changed_.notify_all();
  }

  void set_wall(WallTime time) {
    std::lock_guard lock(mutex_);
    wall_ = time;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  WallTime wall_;
  SteadyTime steady_{};
};

}  // namespace scaledcache::support
