#include "controller/dip_watch.h"

#include <doctest/doctest.h>

namespace scaledcache::controller {
namespace {

using std::chrono::seconds;

constexpr WallTime kNow{seconds{1'800'000'000}};

// Looks at a fleet of `count` pods, all of them warm, after which the count is `next`.
struct World {
  k8s::ScaledCache cache;
  Gathered gathered;
  core::Decision decision;
  Memory memory;

  std::optional<core::Dip> look(int count, int next, double hits, seconds after) {
    gathered.target.replicas = count;
    gathered.observation.pods = {count, count, 0};
    decision.from = count;
    memory.history = core::History{};
    memory.history->replicas = next;
    const Look look{cache, gathered, decision, "", kNow + after};
    return follow_dip(look, {hits, 100 * (1 - hits), {}}, memory);
  }
};

TEST_CASE("a change of the count is followed until it is over") {
  World world;
  CHECK_FALSE(world.look(4, 4, 0.9, seconds{0}));
  CHECK_FALSE(world.memory.dip);
  CHECK_FALSE(world.look(4, 6, 0.96, seconds{5}));
  REQUIRE(world.memory.dip);
  CHECK(world.memory.dip->before.hit_ratio == 0.96);
  CHECK(wants_fleet(world.cache, world.memory));
  CHECK_FALSE(world.look(6, 6, 0.8, seconds{15}));
  const auto dip = world.look(6, 6, 0.96, seconds{80});
  REQUIRE(dip);
  CHECK(dip->from == 4);
  CHECK(dip->to == 6);
  CHECK(dip->worst.hit_ratio == 0.8);
  CHECK_FALSE(world.memory.dip);
  CHECK_FALSE(wants_fleet(world.cache, world.memory));
  CHECK(dip_event(world.cache, *dip, kNow).note.find("80.0 % at worst") != std::string::npos);
}

TEST_CASE("a growth in several steps is one dip, and a change of direction begins another") {
  World world;
  CHECK_FALSE(world.look(4, 6, 0.96, seconds{0}));
  CHECK_FALSE(world.look(6, 8, 0.9, seconds{5}));
  CHECK(world.memory.dip->from == 4);
  CHECK(world.memory.dip->to == 8);
  CHECK(world.memory.dip->before.hit_ratio == 0.96);
  CHECK_FALSE(world.look(8, 7, 0.93, seconds{30}));
  CHECK(world.memory.dip->from == 8);
  CHECK(world.memory.dip->before.hit_ratio == 0.93);
}

TEST_CASE("the limits are those of the resource") {
  k8s::GuardsSpec spec;
  CHECK_FALSE(guard_limits(spec).any());
  spec.min_hit_percent = 90;
  CHECK(guard_limits(spec).min_hit_ratio == 0.9);
  spec.max_fleet_origin_requests_per_second = 50;
  CHECK(guard_limits(spec).max_origin_rate == 50);
}

TEST_CASE("a fleet has just grown while its newest pods may be on their way") {
  core::Policy policy;
  core::History history;
  CHECK_FALSE(just_grown(policy, history, kNow));
  history.last_up = kNow - seconds{299};
  CHECK(just_grown(policy, history, kNow));
  history.last_up = kNow - seconds{300};
  CHECK_FALSE(just_grown(policy, history, kNow));
  history.lead = seconds{120};
  CHECK(just_grown(policy, history, kNow));
  history.last_up_is_start = true;
  CHECK_FALSE(just_grown(policy, history, kNow));
}

}  // namespace
}  // namespace scaledcache::controller
