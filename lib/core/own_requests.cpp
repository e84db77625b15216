#include "core/own_requests.h"

#include <algorithm>

namespace scaledcache::core {
namespace {

constexpr Milliseconds kClockSlack{60'000};

}  // namespace

void OwnLedger::note(WallTime when) {
  const WallTime second = std::chrono::floor<std::chrono::seconds>(when);
  while (!counts_.empty() && counts_.front().second + kOwnRequestsKept < second) {
    counts_.pop_front();
  }
  while (!counts_.empty() && counts_.back().second > second + kClockSlack) {
    counts_.pop_back();
  }
  const auto at =
      std::lower_bound(counts_.begin(), counts_.end(), second,
                       [](const OwnRequests& one, WallTime wanted) { return one.second < wanted; });
  if (at != counts_.end() && at->second == second) {
    ++at->count;
  } else {
    counts_.insert(at, OwnRequests{second, 1});
  }
}

bool OwnLedger::is_over(WallTime now) const {
  return counts_.empty() || counts_.back().second + kOwnRequestsKept < now;
}

double OwnShare::take(double from, double to, double most) {
  double taken = 0;
  auto part = std::upper_bound(parts_.begin(), parts_.end(), from,
                               [](double time, const Part& one) { return time < one.time; });
  for (; part != parts_.end() && part->time <= to && taken < most; ++part) {
    const double now = std::min(part->requests, most - taken);
    part->requests -= now;
    taken += now;
  }
  return taken;
}

}  // namespace scaledcache::core
