#include "controller/phases.h"

#include <cstdint>

namespace scaledcache::controller {

Milliseconds Phases::spread(const std::string& key, Milliseconds delay) {
  MutexLock lock(mutex_);
  if (!seen_.insert(key).second) {
    return delay;
  }
  return Milliseconds{
      std::uniform_int_distribution<std::int64_t>(delay.count() / 2, delay.count())(engine_)};
}

void Phases::forget(const std::string& key) {
  MutexLock lock(mutex_);
  seen_.erase(key);
}

}  // namespace scaledcache::controller
