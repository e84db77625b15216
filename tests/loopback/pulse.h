// Lets a test wait for a state instead of a time: every fake beats when something of it changed,
// and a waiter looks again at each beat.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

namespace scaledcache::loopback {

// How long a state may take that the operator should reach in a few ticks: long enough for a busy
// machine, since only a broken operator ever waits for its end.
inline constexpr std::chrono::seconds kPatience{45};

// Thread safe.
class Pulse {
 public:
  void beat() {
    {
      std::lock_guard lock(mutex_);
      ++beats_;
    }
    changed_.notify_all();
  }

  // True as soon as `reached` is; false when it was not within `patience`. `reached` runs on the
  // calling thread, at first and after each beat.
  bool wait(const std::function<bool()>& reached, std::chrono::seconds patience = kPatience) {
    std::chrono::milliseconds left = patience;
    constexpr std::chrono::milliseconds kSlice{100};  // a look now and then needs no beat
    for (; left.count() > 0; left -= kSlice) {
      for (;;) {
        const std::uint64_t seen = beats();
        if (reached()) {
          return true;
        }
        std::unique_lock lock(mutex_);
        if (!changed_.wait_for(lock, kSlice, [&] { return beats_ != seen; })) {
          break;
        }
      }
    }
    return reached();
  }

 private:
  [[nodiscard]] std::uint64_t beats() const {
    std::lock_guard lock(mutex_);
    return beats_;
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t beats_ = 0;
};

}  // namespace scaledcache::loopback
