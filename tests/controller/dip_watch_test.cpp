#include "controller/dip_watch.h"

#include <string>
#include <utility>

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

// A counter that shows `rate`, of which some is refused where `refuses`.
void bears(World& world, double rate, bool refuses) {
  world.gathered.policy.signals.resize(1);
  world.decision.signals.resize(1);
  world.decision.signals[0].health = core::Health::Fresh;
  world.decision.signals[0].short_rate = rate;
  world.decision.signals[0].saturated = refuses;
}

core::Effect judge(World& world, const core::Dip& dip, seconds after) {
  const Look look{world.cache, world.gathered, world.decision, "", kNow + after};
  return judge_growth(look, dip, world.memory);
}

TEST_CASE("growth that does not help is told once it has failed twice, and a restart knows it") {
  World world;
  bears(world, 1000, true);
  CHECK_FALSE(world.look(2, 4, 0.96, seconds{0}));
  bears(world, 1010, true);
  CHECK_FALSE(world.look(4, 6, 0.96, seconds{10}));
  CHECK_FALSE(world.look(6, 6, 0.96, seconds{20}));
  CHECK(effect_condition(world.memory.effect).reason == "NoEvidence");
  const auto dip = world.look(6, 6, 0.96, seconds{80});
  REQUIRE(dip);
  CHECK(dip->steps == 2);
  CHECK(judge(world, *dip, seconds{80}) == core::Effect::BottleneckUpstream);
  const k8s::ConditionValue told = effect_condition(world.memory.effect);
  CHECK(told.status == k8s::ConditionStatus::False);
  CHECK(told.reason == "BottleneckUpstream");

  k8s::Status status;
  k8s::set_condition(status.conditions, told, 1, kNow);
  Memory next;
  recall_dip(status, kNow + seconds{90}, next);
  CHECK(next.effect == world.memory.effect);
  next.dip.reset();
  world.memory = std::move(next);
  CHECK_FALSE(world.look(6, 5, 0.96, seconds{200}));
  CHECK(effect_condition(world.memory.effect).status == k8s::ConditionStatus::Unknown);
}

TEST_CASE("a new pod's share is judged once it has been ready for a while") {
  World world;
  bears(world, 1000, false);
  const core::Dip begun = core::begin_dip(1, 2, {}, kNow);
  core::Dip dip = begun;
  dip.warm_after = seconds{20};
  dip.load_before = {1000, 1, false};
  dip.load_after = {1000, 2, false};
  for (const char* name : {"old", "new"}) {
    k8s::Pod pod;
    pod.name = name;
    pod.node = name;
    pod.phase = k8s::PodPhase::Running;
    pod.ready = true;
    pod.ready_since = std::string(name) == "new" ? kNow + seconds{40} : kNow - seconds{1000};
    world.gathered.target.pods.push_back(pod);
    world.gathered.traffic.push_back({name, std::string(name) == "new" ? 1.0 : 999.0, kNow});
  }
  CHECK(judge(world, dip, seconds{60}) == core::Effect::Effective);
  CHECK(judge(world, dip, seconds{70}) == core::Effect::SingleNodeFunnel);
}

TEST_CASE(
    "a restart goes on with the dip that status keeps, unless nobody has watched it for long") {
  k8s::Status status;
  status.dip = core::begin_dip(2, 4, {0.9, 10, {}}, kNow);
  Memory memory;
  recall_dip(status, kNow + seconds{30}, memory);
  CHECK(memory.dip == status.dip);
  Memory late;
  recall_dip(status, kNow + 2 * core::kLongestDip, late);
  CHECK_FALSE(late.dip);
  Memory early;
  recall_dip(status, kNow - seconds{30}, early);
  REQUIRE(early.dip);
  CHECK(early.dip->since == kNow - seconds{30});
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
