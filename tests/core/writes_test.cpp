#include <doctest/doctest.h>

#include "core/builders.h"
#include "core/decide.h"
#include "core/rates.h"

namespace scaledcache::core::test {
namespace {

TEST_CASE("somebody's larger count starts the cooldown, a smaller one the interval") {
  Play play(policy(2, 40), 10);
  play.settle(1950);
  play.set_replicas(30);
  CHECK(play.tick(fresh(1950)).reason == Reason::CoolingDown);
  CHECK(play.history().last_up == play.now() - 5s);
  CHECK_FALSE(play.history().last_change->ours);
  play.set_replicas(29);
  play.tick(fresh(1950));
  CHECK(play.history().last_down == play.now() - 5s);
}

TEST_CASE("a write of ours that no status tells of starts the timers at its own time") {
  Play play(policy(2, 40), 10);
  play.settle(1950);
  Observation observation = observe(12, fresh(1950));
  observation.last_write = CountWrite{true, play.now() - 2min};
  const Decision decision = decide(play.policy(), observation, play.history(), play.now());
  CHECK(decision.history.last_up == play.now() - 2min);
  CHECK(decision.history.undone.empty());
}

TEST_CASE("a write of somebody else whose time nobody wrote down counts from when it was seen") {
  Play play(policy(2, 40), 10);
  play.settle(1950);
  Observation observation = observe(30, fresh(1950));
  observation.last_write = CountWrite{false, std::nullopt};
  const Decision seen = decide(play.policy(), observation, play.history(), play.now());
  CHECK(seen.history.last_up == play.now());
  REQUIRE(seen.history.last_change);
  CHECK_FALSE(seen.history.last_change->ours);
  const Decision again = decide(play.policy(), observation, seen.history, play.now() + 5s);
  CHECK(again.history.last_up == play.now());
}

// Three times: the fleet is put back to 4 and grows to 15 again.
Play fight(Milliseconds apart) {
  Play play(policy(2, 40), 4);
  play.tick(fresh(2950));
  for (int i = 0; i < 3; ++i) {
    play.pass(apart, fresh(2950));
    play.set_replicas(4);
    play.tick(fresh(2950));
  }
  return play;
}

TEST_CASE("three foreign writes within an hour that each undid ours are a fight") {
  Play play = fight(3min);
  CHECK(play.tick(fresh(2950)).fighting);
  SUBCASE("nothing shrinks") {
    play.pass(50min, fresh(100));
    CHECK(play.replicas() == 15);
    CHECK(play.tick(fresh(100)).reason == Reason::Contested);
  }
  SUBCASE("growth is written once a minute") {
    play.set_replicas(4);
    CHECK(play.tick(fresh(2950)).reason == Reason::Contested);
    play.pass(1min, fresh(2950));
    CHECK(play.replicas() == 15);
  }
  SUBCASE("also from below the minimum") {
    play.set_replicas(1);
    CHECK(play.tick(fresh(2950)).replicas == 1);
    play.pass(1min, fresh(2950));
    CHECK(play.replicas() > 1);
  }
  SUBCASE("it ends an hour after the last foreign write") {
    play.pass(61min, fresh(2950));
    CHECK_FALSE(play.tick(fresh(2950)).fighting);
  }
  SUBCASE("a restart does not end it") {
    play.set_history(restore(keep(play.history()), play.now()));
    CHECK(play.tick(fresh(2950)).fighting);
  }
}

TEST_CASE("three in more than an hour, or changes that undo nothing, are no fight") {
  Play slow = fight(35min);
  CHECK_FALSE(slow.tick(fresh(2950)).fighting);
  Play help(policy(2, 40), 10);
  help.settle(1950);
  for (const int count : {12, 18, 22, 30}) {
    help.set_replicas(count);
    help.tick(fresh(1950));
  }
  CHECK_FALSE(help.tick(fresh(1950)).fighting);
}

TEST_CASE("what we lowered and a drain has not yet carried out is nobody's write") {
  Play play(policy(2, 40), 10);
  play.settle(1950);
  History history = play.history();
  history.replicas = 8;
  Observation observation = observe(10, fresh(1550));
  observation.draining = 2;
  observation.last_write = CountWrite{false, kStart - 1h};
  const Decision decision = decide(play.policy(), observation, history, play.now());
  CHECK(decision.history.last_change == history.last_change);
  CHECK(decision.history.undone.empty());
}

}  // namespace
}  // namespace scaledcache::core::test
