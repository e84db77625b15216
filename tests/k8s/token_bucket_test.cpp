#include "k8s/token_bucket.h"

#include <stop_token>

#include <doctest/doctest.h>

#include "base/clock.h"

namespace scaledcache::k8s {
namespace {

// Jumps to the end of every wait, so that a test sees how long the caller would have waited.
class JumpingClock final : public Clock {
 public:
  [[nodiscard]] WallTime wall() const override { return {}; }

  [[nodiscard]] SteadyTime steady() const override { return now_; }

  bool wait_until(SteadyTime deadline, std::stop_token stop) override {
    if (stop.stop_requested()) {
      return false;
    }
    waited_ += deadline - now_;
    now_ = deadline;
    return true;
  }

  void advance(Milliseconds by) { now_ += by; }

  [[nodiscard]] Milliseconds waited() const {
    return std::chrono::duration_cast<Milliseconds>(waited_);
  }

 private:
  SteadyTime now_{};
  SteadyTime::duration waited_{};
};

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
