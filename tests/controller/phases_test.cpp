#include "controller/phases.h"

#include <set>
#include <string>

#include <doctest/doctest.h>

namespace scaledcache::controller {
namespace {

using namespace std::chrono_literals;

constexpr Milliseconds kPoll{10'000};

TEST_CASE("the first delays of many keys are spread over the second half of the poll interval") {
  Phases phases;
  std::set<Milliseconds> delays;
  for (int i = 0; i < 100; ++i) {
    const Milliseconds delay = phases.spread("blog/cache-" + std::to_string(i), kPoll);
    CHECK(delay >= kPoll / 2);
    CHECK(delay <= kPoll);
    delays.insert(delay);
  }
  CHECK(delays.size() > 50);
}

TEST_CASE("later delays of a key keep the rhythm, until it is forgotten") {
  Phases phases;
  std::set<Milliseconds> first_delays;
  for (int i = 0; i < 100; ++i) {
    first_delays.insert(phases.spread("blog/cache", kPoll));
    CHECK(phases.spread("blog/cache", kPoll) == kPoll);
    CHECK(phases.spread("blog/cache", 300ms) == 300ms);
    phases.forget("blog/cache");
  }
  CHECK(first_delays.size() > 50);
}

}  // namespace
}  // namespace scaledcache::controller
