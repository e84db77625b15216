#include "controller/backend_clock.h"

#include <chrono>

namespace scaledcache::controller {
namespace {

constexpr Milliseconds kFarOff = std::chrono::minutes{1};
constexpr std::chrono::minutes kAskAgain{5};
constexpr std::size_t kMostBackends = 1000;  // beyond it, what is known is forgotten

bool is_near(WallTime one, WallTime other) {
  return one - other <= kFarOff && other - one <= kFarOff;
}

std::optional<WallTime> shifted(WallTime ours, std::optional<Milliseconds> offset) {
  return offset ? std::optional(ours + *offset) : std::nullopt;
}

}  // namespace

bool is_date_trusted(const ClockSigns& signs) {
  return signs.date && (is_near(*signs.date, signs.ours) ||
                        (signs.newest_sample && is_near(*signs.date, *signs.newest_sample)));
}

std::optional<WallTime> BackendClocks::now_at(const std::string& backend,
                                              const ClockSigns& signs,
                                              SteadyTime steady_now,
                                              const Ask& ask) {
  if (is_date_trusted(signs)) {
    return signs.date;
  }
  {
    MutexLock lock(mutex_);
    if (known_.size() >= kMostBackends && !known_.contains(backend)) {
      known_.clear();
    }
    const auto [known, is_new] = known_.try_emplace(backend, Known{steady_now});
    if (!is_new && steady_now - known->second.asked < kAskAgain) {
      return shifted(signs.ours, known->second.offset);
    }
    known->second.asked = steady_now;  // before it is asked, so that nobody else does meanwhile
  }
  const std::optional<Milliseconds> offset = ask();
  MutexLock lock(mutex_);
  known_[backend].offset = offset;
  return shifted(signs.ours, offset);
}

}  // namespace scaledcache::controller
