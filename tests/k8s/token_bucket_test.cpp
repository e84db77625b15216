#include "k8s/token_bucket.h"

#include <stop_token>

#include <doctest/doctest.h>

#include "k8s/jumping_clock.h"

namespace scaledcache::k8s {
namespace {

void take(TokenBucket& bucket, int count) {
  for (int i = 0; i < count; ++i) {
    REQUIRE(bucket.take({}));
  }
}

TEST_CASE("a burst passes at once, the rest at the rate") {
  JumpingClock clock;
  TokenBucket bucket(clock, 20, 50);
  take(bucket, 50);
  CHECK(clock.waited() == Milliseconds{0});
  take(bucket, 20);
  CHECK(clock.waited() == Milliseconds{1000});
}

TEST_CASE("an idle client earns its burst back, and no more") {
  JumpingClock clock;
  TokenBucket bucket(clock, 20, 50);
  take(bucket, 50);
  clock.advance(Milliseconds{500});
  take(bucket, 10);
  CHECK(clock.waited() == Milliseconds{0});
  clock.advance(Milliseconds{3'600'000});
  take(bucket, 50);
  CHECK(clock.waited() == Milliseconds{0});
  take(bucket, 1);
  CHECK(clock.waited() == Milliseconds{50});
}

TEST_CASE("a stop ends the wait, and nothing is taken after it") {
  JumpingClock clock;
  TokenBucket bucket(clock, 1, 1);
  std::stop_source stop;
  stop.request_stop();
  CHECK_FALSE(bucket.take(stop.get_token()));
  CHECK_FALSE(bucket.take(stop.get_token()));
  CHECK(clock.waited() == Milliseconds{0});
}

}  // namespace
}  // namespace scaledcache::k8s
