#include "controller/requeue.h"

#include <doctest/doctest.h>

namespace scaledcache::controller {
namespace {

using namespace std::chrono_literals;

constexpr Milliseconds kPoll{5'000};

Error error(ErrorCode code) {
  return Error{code, "why"};
}

TEST_CASE("a conflict is read again at once, and not for ever") {
  CHECK(requeue_after(error(ErrorCode::Conflict), 1, kPoll) == 200ms);
  CHECK(requeue_after(error(ErrorCode::Conflict), 50, kPoll) == kPoll);
}

TEST_CASE(
    "what may heal by itself is tried again after a growing delay that ends at the poll interval") {
  Milliseconds before{0};
  for (int failures = 1; failures < 8; ++failures) {
    const Milliseconds delay = requeue_after(error(ErrorCode::Unavailable), failures, kPoll);
    CHECK(delay >= before);
    CHECK(delay <= kPoll);
    before = delay;
  }
  CHECK(before == kPoll);
}

TEST_CASE("what the server asks for is waited") {
  Error limited = error(ErrorCode::RateLimited);
  limited.retry_after = 7s;
  CHECK(requeue_after(limited, 1, kPoll) == 7s);
  CHECK(requeue_after(error(ErrorCode::RateLimited), 1, kPoll) == kPoll);
}

TEST_CASE("missing rights are asked for slowly, an absent target at every poll") {
  CHECK(requeue_after(error(ErrorCode::Forbidden), 1, kPoll) == kPoll);
  CHECK(requeue_after(error(ErrorCode::Forbidden), 20, kPoll) == 60s);
  CHECK(requeue_after(error(ErrorCode::NotFound), 20, kPoll) == kPoll);
}

TEST_CASE("every error has a delay above zero") {
  for (const ErrorCode code : kAllErrorCodes) {
    CHECK(requeue_after(error(code), 1, kPoll) > 0ms);
  }
}

}  // namespace
}  // namespace scaledcache::controller
