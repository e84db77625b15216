#include <algorithm>
#include <iterator>
#include <vector>

#include "cache/origin_budget.h"

namespace scaledcache::cache {

std::string_view name_of(OriginTrouble trouble) {
  switch (trouble) {
    case OriginTrouble::None:
      return "None";
    case OriginTrouble::Errors:
      return "Errors";
    case OriginTrouble::Slow:
      return "Slow";
  }
  return "None";
}

OriginHealth::OriginHealth(Clock& clock, OriginTolerance tolerance)
    : clock_(clock), tolerance_(tolerance) {}

void OriginHealth::note(bool failed, Milliseconds took) {
  const SteadyTime now = clock_.steady();
  MutexLock lock(mutex_);
  if (trouble_ != OriginTrouble::None) {
    return;  // the late answers of what was under way
  }
  answers_.push_back({failed, took});
  if (answers_.size() > tolerance_.judged) {
    answers_.pop_front();
  }
  trouble_ = judge();
  until_ = now + tolerance_.rest_after;
}

OriginTrouble OriginHealth::trouble() {
  const SteadyTime now = clock_.steady();
  MutexLock lock(mutex_);
  if (trouble_ != OriginTrouble::None && now >= until_) {
    trouble_ = OriginTrouble::None;
    answers_.clear();
  }
  return trouble_;
}

OriginTrouble OriginHealth::judge() const {
  if (answers_.size() < tolerance_.least) {
    return OriginTrouble::None;
  }
  const auto failed = std::count_if(answers_.begin(), answers_.end(),
                                    [](const Answer& answer) { return answer.failed; });
  if (static_cast<double>(failed) > tolerance_.error_share * static_cast<double>(answers_.size())) {
    return OriginTrouble::Errors;
  }
  std::vector<Milliseconds> times;
  std::transform(answers_.begin(), answers_.end(), std::back_inserter(times),
                 [](const Answer& answer) { return answer.took; });
  const auto middle = std::next(times.begin(), static_cast<std::ptrdiff_t>(times.size() / 2));
  std::nth_element(times.begin(), middle, times.end());
  return *middle > tolerance_.slow ? OriginTrouble::Slow : OriginTrouble::None;
}

}  // namespace scaledcache::cache
