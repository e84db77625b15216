// What time it is where the samples come from. Ages are measured against that clock, not ours.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"

namespace scaledcache::controller {

// What one answer shows of clocks; only ours is always there.
struct ClockSigns {
  WallTime ours;
  std::optional<WallTime> date;           // the answer's Date header
  std::optional<WallTime> newest_sample;  // by the clock of whoever scraped it
};

// A Date header that is more than a minute off from both our clock and the newest sample is that of
// something in between, or wrong.
[[nodiscard]] bool is_date_trusted(const ClockSigns& signs);

// Thread safe.
class BackendClocks {
 public:
  // By how much the backend's own `time()` is ahead of our clock; nothing when it did not tell.
  using Ask = std::function<std::optional<Milliseconds>()>;

  // The backend's clock at `signs.ours`: the Date header where it can be trusted, else by what
  // `ask` tells, which is called at most once in 5 minutes for each `backend`; nothing where it
  // never told.
  [[nodiscard]] std::optional<WallTime> now_at(const std::string& backend,
                                               const ClockSigns& signs,
                                               SteadyTime steady_now,
                                               const Ask& ask) EXCLUDES(mutex_);

 private:
  struct Known {
    SteadyTime asked;
    std::optional<Milliseconds> offset{};  // theirs less ours
  };

  Mutex mutex_;
  std::map<std::string, Known> known_ GUARDED_BY(mutex_);
};

}  // namespace scaledcache::controller
