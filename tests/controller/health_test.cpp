#include "controller/health.h"

#include <doctest/doctest.h>

namespace scaledcache::controller {
namespace {

using namespace std::chrono_literals;

constexpr SteadyTime kStart{1h};

WatchReport watch_that_tried(SteadyTime when) {
  WatchReport report{"pods of blog", {}};
  report.progress.last_attempt = when;
  report.progress.synced = true;
  return report;
}

TEST_CASE("a watch that goes on trying is alive, whatever it is told") {
  HealthInput input{{watch_that_tried(kStart)}, {}, kStart + 9min};
  input.watches[0].progress.synced = false;
  input.watches[0].progress.last_error = Error{ErrorCode::Unavailable, "connection refused"};
  CHECK_FALSE(judge_liveness(input));
}

TEST_CASE("a watch that has stopped trying is named") {
  const auto problem = judge_liveness({{watch_that_tried(kStart)}, {}, kStart + 11min});
  REQUIRE(problem);
  CHECK(*problem == "watch of pods of blog has not moved for 11m");
}

TEST_CASE("a worker that never comes back is a reason to restart") {
  CHECK_FALSE(judge_liveness({{}, Milliseconds{4min}, kStart}));
  CHECK(judge_liveness({{}, Milliseconds{6min}, kStart}));
}

TEST_CASE("a lease that nobody looks at is a reason to restart") {
  CHECK_FALSE(judge_liveness({{}, {}, kStart, Milliseconds{60s}}));
  CHECK(judge_liveness({{}, {}, kStart, Milliseconds{3min}}) ==
        "nobody has looked at the lease for 3m");
}

TEST_CASE("not ready before the first list, and it says why") {
  WatchReport report{"scaledcaches", {}};
  CHECK(judge_readiness({report}) == "watch of scaledcaches has not listed yet");
  report.progress.last_error = Error{ErrorCode::NotFound, "the API server does not serve it"};
  CHECK(judge_readiness({report}) ==
        "watch of scaledcaches has not listed yet: the API server does not serve it");
  report.progress.synced = true;
  CHECK_FALSE(judge_readiness({report}));
}

}  // namespace
}  // namespace scaledcache::controller
