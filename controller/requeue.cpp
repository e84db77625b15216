#include "controller/requeue.h"

#include <algorithm>

namespace scaledcache::controller {
namespace {

constexpr Milliseconds kReadAgain{200};
constexpr Milliseconds kFirstBackoff{200};
constexpr Milliseconds kSlowBackoff{60'000};

Milliseconds backoff(int failures, Milliseconds most) {
  const int doublings = std::clamp(failures - 1, 0, 10);
  return std::min(kFirstBackoff * (1 << doublings), most);
}

}  // namespace

Milliseconds requeue_after(const Error& error, int failures, Milliseconds poll_interval) {
  switch (error.code) {
    case ErrorCode::Conflict:
      return failures < 5 ? kReadAgain : backoff(failures, poll_interval);
    case ErrorCode::Gone:
    case ErrorCode::Unavailable:
    case ErrorCode::Timeout:
    case ErrorCode::Protocol:
    case ErrorCode::NoData:
    case ErrorCode::Cancelled:
      return std::max(backoff(failures, poll_interval),
                      error.retry_after.value_or(Milliseconds{0}));
    case ErrorCode::RateLimited:
      return std::max(poll_interval, error.retry_after.value_or(Milliseconds{0}));
    case ErrorCode::NotFound:  // the target: its watch tells when it comes; the poll is the net
                               // below
      return poll_interval;
    case ErrorCode::Invalid:
    case ErrorCode::Unauthorized:
    case ErrorCode::Forbidden:
      return std::max(poll_interval, backoff(failures, kSlowBackoff));
  }
  return poll_interval;
}

}  // namespace scaledcache::controller
