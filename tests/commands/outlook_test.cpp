#include "controller/commands/outlook.h"

#include <doctest/doctest.h>

#include "commands/cache_sample.h"

namespace scaledcache::controller::test {
namespace {

using std::chrono::minutes;

TEST_CASE("growth begins right above what the replicas carry") {
  const auto growth = when_it_grows(situation_of(cache_with(1900, 1950), kNow));
  REQUIRE(growth.size() == 1);
  REQUIRE(growth[0].at);
  CHECK(*growth[0].at > 2000);
  CHECK(*growth[0].at < 2000.01);
  CHECK(growth[0].to == 11);
  CHECK(growth[0].signal == "requests");
}

TEST_CASE("a tolerance moves the rate at which it grows") {
  k8s::ScaledCache cache = cache_with(1900, 1950);
  cache.spec.scale_up.tolerance_percent = 10;
  const auto growth = when_it_grows(situation_of(cache, kNow));
  REQUIRE(growth.at(0).at);
  CHECK(*growth[0].at > 2199.9);
  CHECK(*growth[0].at < 2200.1);
}

TEST_CASE("where no rate makes it grow, what holds it is named") {
  k8s::ScaledCache paused = cache_with(1900, 1950);
  paused.pause.paused = true;
  CHECK(when_it_grows(situation_of(paused, kNow)).at(0).held_by == core::Reason::Paused);
  k8s::ScaledCache full = cache_with(1900, 1950);
  full.spec.max_replicas = 10;
  const auto growth = when_it_grows(situation_of(full, kNow));
  CHECK_FALSE(growth.at(0).at);
  CHECK(growth[0].held_by == core::Reason::AtMaximum);
}

TEST_CASE("each signal is asked with the others as they are") {
  k8s::ScaledCache cache = cache_with(1900, 1950);
  k8s::SignalSpec second = cache.spec.signals[0];
  second.name = "tiles";
  second.requests_per_replica = 50;
  cache.spec.signals.push_back(second);
  k8s::SignalStatus seen = cache.status.signals[0];
  seen.name = "tiles";
  seen.short_rate = 100;
  seen.peak = 100;
  cache.status.signals.push_back(seen);
  const auto growth = when_it_grows(situation_of(cache, kNow));
  REQUIRE(growth.size() == 2);
  CHECK(*growth[1].at > 500);
  CHECK(*growth[1].at < 500.01);
}

TEST_CASE("a fleet that its load needs shrinks below a rate, not before the windows have passed") {
  const Shrinking shrinking = when_it_shrinks(situation_of(cache_with(1900, 1950), kNow));
  CHECK_FALSE(shrinking.due);
  REQUIRE(shrinking.below);
  CHECK(*shrinking.below * 1900 > 1500);
  CHECK(*shrinking.below * 1900 < 1900);
  REQUIRE(shrinking.earliest);
  CHECK(*shrinking.earliest >= kNow + minutes{3});  // the cooldown
  CHECK(*shrinking.earliest <= kNow + minutes{15});
  CHECK(shrinking.held_by == core::Reason::CoolingDown);
}

TEST_CASE("a surplus goes by itself once its time has come") {
  const Shrinking shrinking = when_it_shrinks(situation_of(cache_with(800, 900), kNow));
  REQUIRE(shrinking.due);
  CHECK(*shrinking.due >= kNow + minutes{3});
  CHECK(shrinking.to == 8);
}

TEST_CASE("at the minimum nothing shrinks") {
  k8s::ScaledCache cache = cache_with(100, 100);
  cache.status.replicas = 2;
  cache.status.desired_replicas = 2;
  const Shrinking shrinking = when_it_shrinks(situation_of(cache, kNow));
  CHECK_FALSE(shrinking.due);
  CHECK_FALSE(shrinking.earliest);
  CHECK(shrinking.held_by == core::Reason::AtMinimum);
}

TEST_CASE("looking ahead a day is bounded") {
  k8s::ScaledCache cache = cache_with(1900, 1950);
  cache.spec.long_window = std::chrono::hours{24};
  cache.spec.poll_interval = std::chrono::seconds{1};
  const Shrinking shrinking = when_it_shrinks(situation_of(cache, kNow));
  REQUIRE(shrinking.earliest);
  CHECK(*shrinking.earliest > kNow + std::chrono::hours{23});
}

}  // namespace
}  // namespace scaledcache::controller::test
