// Spreads the looks at ScaledCaches over time.
#pragma once

#include <random>
#include <set>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"

namespace scaledcache::controller {

// The first delay of a key differs from key to key, so that a thousand of them do not ask the
// backend in the same instant; later ones keep the rhythm. Thread safe.
class Phases {
 public:
  // From half of `delay` to all of it for a key that is new, else `delay`.
  [[nodiscard]] Milliseconds spread(const std::string& key, Milliseconds delay) EXCLUDES(mutex_);

  // The key is new again.
  void forget(const std::string& key) EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  std::set<std::string> seen_ GUARDED_BY(mutex_);
  std::minstd_rand engine_ GUARDED_BY(mutex_){std::random_device{}()};
};

}  // namespace scaledcache::controller
