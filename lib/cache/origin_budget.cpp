#include "cache/origin_budget.h"

#include <algorithm>
#include <utility>

namespace scaledcache::cache {

OriginBudget::Ticket::~Ticket() {
  if (budget_ != nullptr) {
    budget_->leave();
  }
}

OriginBudget::OriginBudget(Clock& clock, OriginLimits limits, OriginBudget* above)
    : clock_(clock), above_(above), limits_(limits), next_(clock.steady()) {}

void OriginBudget::set_limits(OriginLimits limits) {
  {
    MutexLock lock(mutex_);
    limits_ = limits;
  }
  left_.notify_all();
}

std::optional<OriginBudget::Ticket> OriginBudget::take(std::stop_token stop) {
  if (!enter(stop)) {
    return std::nullopt;
  }
  return Ticket(this);
}

bool OriginBudget::enter(const std::stop_token& stop) {
  {
    MutexLock lock(mutex_);
    const auto has_place = [this]()
                               REQUIRES(mutex_) { return inside_ < std::max(limits_.at_once, 1); };
    if (!left_.wait(lock, stop, has_place)) {
      return false;
    }
    ++inside_;
  }
  // The place above is taken first: a reserved instant would pass while one waits for it.
  if (above_ != nullptr && !above_->enter(stop)) {
    leave_here();
    return false;
  }
  if (stop.stop_requested() || !clock_.wait_until(reserve(), stop)) {
    leave();
    return false;
  }
  return true;
}

void OriginBudget::leave() {
  leave_here();
  if (above_ != nullptr) {
    above_->leave();
  }
}

void OriginBudget::leave_here() {
  {
    MutexLock lock(mutex_);
    --inside_;
  }
  left_.notify_one();
}

SteadyTime OriginBudget::reserve() {
  const SteadyTime now = clock_.steady();
  MutexLock lock(mutex_);
  if (limits_.per_second <= 0) {
    return now;
  }
  const auto distance = std::chrono::duration_cast<SteadyTime::duration>(
      std::chrono::duration<double>(std::min(1 / limits_.per_second, 3'600.0)));
  const SteadyTime mine = std::max(next_, now);
  next_ = mine + distance;
  return mine;
}

bool WarmupWaves::try_enter(const std::string& key, int at_once_of_key) {
  MutexLock lock(mutex_);
  const auto found = warming_of_.find(key);
  const int of_key = found == warming_of_.end() ? 0 : found->second;
  if (warming_ >= at_once_ || of_key >= at_once_of_key) {
    return false;
  }
  ++warming_;
  warming_of_[key] = of_key + 1;
  return true;
}

void WarmupWaves::leave(const std::string& key) {
  MutexLock lock(mutex_);
  const auto found = warming_of_.find(key);
  if (found == warming_of_.end()) {
    return;
  }
  --warming_;
  if (--found->second == 0) {
    warming_of_.erase(found);
  }
}

}  // namespace scaledcache::cache
