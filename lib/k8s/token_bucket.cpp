#include "k8s/token_bucket.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace scaledcache::k8s {

TokenBucket::TokenBucket(Clock& clock, double per_second, double burst)
    : clock_(clock),
      per_second_(per_second),
      burst_(burst),
      tokens_(burst),
      counted_(clock.steady()) {}

bool TokenBucket::take(std::stop_token stop) {
  const SteadyTime now = clock_.steady();
  SteadyTime ready = now;
  {
    MutexLock lock(mutex_);
    if (now > counted_) {
      const double elapsed = std::chrono::duration<double>(now - counted_).count();
      tokens_ = std::min(burst_, tokens_ + elapsed * per_second_);
      counted_ = now;
    }
    tokens_ -= 1;
    if (tokens_ < 0) {
      ready +=
          std::chrono::ceil<Milliseconds>(std::chrono::duration<double>(-tokens_ / per_second_));
    }
  }
  if (ready <= now) {
    return !stop.stop_requested();
  }
  return clock_.wait_until(ready, std::move(stop));
}

}  // namespace scaledcache::k8s
