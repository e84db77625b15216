// A client-side limit on requests, so that a fault of ours is not a flood for the API server.
#pragma once

#include <stop_token>

#include "base/clock.h"
#include "base/mutex.h"

namespace scaledcache::k8s {

// Thread safe. Callers are served in the order in which they asked.
class TokenBucket {
 public:
  // `per_second` > 0; full with `burst` tokens at the start.
  TokenBucket(Clock& clock, double per_second, double burst);

  // Waits for a token; false when `stop` was requested first.
  [[nodiscard]] bool take(std::stop_token stop) EXCLUDES(mutex_);

 private:
  Clock& clock_;
  const double per_second_;
  const double burst_;
  Mutex mutex_;
  double tokens_ GUARDED_BY(mutex_);  // below zero: promised to callers who wait
  SteadyTime counted_ GUARDED_BY(mutex_);
};

}  // namespace scaledcache::k8s
