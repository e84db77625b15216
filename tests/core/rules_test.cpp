#include <doctest/doctest.h>

#include "core/builders.h"
#include "core/decide.h"

namespace scaledcache::core::test {
namespace {

TEST_CASE("a pause holds the count, whatever the load and the bounds say") {
  Play play(policy(), 20);
  Observation observation = observe(20, fresh(9000));
  observation.pause.paused = true;
  const Decision decision = play.tick(observation);
  CHECK(decision.reason == Reason::Paused);
  CHECK(decision.replicas == 20);
}

TEST_CASE("a parked count is gone to once, not clamped, and then left alone") {
  Play play(policy(), 5);
  Observation observation = observe(5, fresh(900));
  observation.pause.paused_replicas = 14;
  CHECK(play.tick(observation).replicas == 14);
  play.set_replicas(3);
  CHECK(play.tick(observation).replicas == 3);
  observation.pause.paused_replicas = 6;
  CHECK(play.tick(observation).replicas == 6);
}

TEST_CASE("a fleet at zero with a minimum stays at zero") {
  Play play(policy(), 0);
  const Decision decision = play.tick(fresh(900));
  CHECK(decision.reason == Reason::ScaledToZero);
  CHECK(decision.replicas == 0);
}

TEST_CASE("bounds hold at once and in one step, also without data") {
  struct Row {
    const char* name;
    int replicas;
    int want;
    Reason reason;
  };

  for (const Row& row : {Row{"below the minimum", 1, 2, Reason::BelowMinimum},
                         Row{"above the maximum", 37, 10, Reason::AboveMaximum}}) {
    SUBCASE(row.name) {
      for (const SignalReading& reading : {fresh(900), SignalReading{}}) {
        Play play(policy(), row.replicas);
        const Decision decision = play.tick(reading);
        CHECK(decision.replicas == row.want);
        CHECK(decision.reason == row.reason);
      }
    }
  }
}

TEST_CASE("a veto of a direction holds for the bounds too") {
  Observation below = observe(1, fresh(100));
  below.pause.no_growth = true;
  CHECK(decide(policy(), below, first_history(kStart), kStart).replicas == 1);
  Observation above = observe(30, fresh(100));
  above.pause.no_shrinking = true;
  CHECK(decide(policy(), above, first_history(kStart), kStart).replicas == 30);
}

TEST_CASE(
    "with an HPA or an older ScaledCache on the target nothing is decided, but for a dry run") {
  for (const Contender contender : {Contender::HorizontalPodAutoscaler, Contender::ScaledCache}) {
    Observation observation = observe(4, fresh(1900));
    observation.contender = contender;
    Play play(policy(), 4);
    CHECK(play.tick(observation).reason == Reason::Contested);
    Play dry(policy(), 4);
    dry.policy().dry_run = true;
    CHECK(dry.tick(observation).reason == Reason::Grow);
  }
}

TEST_CASE("with an HPA or an older ScaledCache on the target its bounds are not ours to write") {
  for (const Contender contender : {Contender::HorizontalPodAutoscaler, Contender::ScaledCache}) {
    for (const int replicas : {1, 30}) {
      Observation observation = observe(replicas, fresh(1900));
      observation.contender = contender;
      const Decision decision = decide(policy(), observation, first_history(kStart), kStart);
      CHECK(decision.replicas == replicas);
      CHECK(decision.reason == Reason::Contested);
      observation.pause.paused_replicas = 5;
      CHECK(decide(policy(), observation, first_history(kStart), kStart).replicas == replicas);
    }
  }
}

TEST_CASE("the cooldown starts when the HPA goes") {
  Play play(policy(), 10);
  play.settle(1900);
  Observation contested = observe(10, fresh(100));
  contested.contender = Contender::HorizontalPodAutoscaler;
  for (int i = 0; i < 100; ++i) {
    play.tick(contested);
  }
  CHECK(play.tick(fresh(100)).reason == Reason::CoolingDown);
}

TEST_CASE("a dry run decides on a shadow of its own") {
  Play play(policy(), 2);
  play.policy().dry_run = true;
  CHECK(play.tick(fresh(2300)).replicas == 8);
  const Decision second = play.tick(fresh(2300));
  CHECK(second.from == 8);
  CHECK(second.replicas == 10);
  CHECK(play.replicas() == 2);
}

TEST_CASE("growth is limited by factor and pods, and by nothing from zero") {
  struct Row {
    const char* name;
    int replicas;
    int factor;
    int pods;
    int want;
  };

  for (const Row& row :
       {Row{"the factor", 10, 2, 4, 20}, Row{"the pods where they are more", 2, 2, 9, 11},
        Row{"neither from zero", 0, 2, 4, 50}}) {
    SUBCASE(row.name) {
      Play play(policy(0, 100), row.replicas);
      play.policy().signals[0].kind = SignalKind::Query;
      play.policy().scale_up.max_factor = row.factor;
      play.policy().scale_up.max_pods = row.pods;
      CHECK(play.tick(fresh(10'000)).replicas == row.want);
    }
  }
}

TEST_CASE("a tolerance for growth is measured in load, not in replicas") {
  Play play(policy(2, 40), 10);
  play.policy().scale_up.tolerance_percent = 10;
  CHECK(play.tick(fresh(2199)).reason == Reason::Steady);
  CHECK(play.tick(fresh(2201)).replicas == 12);
}

TEST_CASE("growth waits for its own cooldown, and not at the start") {
  Play play(policy(2, 40), 2);
  play.policy().scale_up.cooldown = 10min;
  CHECK(play.tick(fresh(900)).replicas == 5);
  const Decision held = play.tick(fresh(1900));
  CHECK(held.reason == Reason::GrowthCoolingDown);
  CHECK(held.replicas == 5);
  play.pass(10min, fresh(1900));
  CHECK(play.replicas() == 10);
}

TEST_CASE("an enforced guard stops growth that does not help, but not what refused requests need") {
  Observation observation = observe(4, fresh(1900));
  observation.growth_veto = Reason::GuardOrigin;
  Play play(policy(), 4);
  CHECK(play.tick(observation).reason == Reason::GuardOrigin);
  play.policy().signals[0].saturation = SaturationKind::Rate;
  observation.signals[0].saturation = 50;
  CHECK(play.tick(observation).replicas > 4);
}

TEST_CASE("pods that drain count as gone; growth takes them back first") {
  Play play(policy(2, 40), 10);
  play.settle(1950);
  History history = play.history();
  Observation observation = observe(10, fresh(1950));
  observation.draining = 2;
  const Decision grown = decide(policy(2, 40), observation, history, play.now());
  CHECK(grown.from == 8);
  CHECK(grown.replicas == 10);
  CHECK(grown.cancel_drains == 2);
  CHECK(*grown.history.replicas == 10);
  observation.signals[0] = fresh(100);
  CHECK(decide(policy(2, 40), observation, history, play.now()).reason == Reason::Draining);
}

TEST_CASE("a schedule in force raises the minimum, never above the maximum") {
  Play play(policy(2, 10), 2);
  Schedule schedule;
  schedule.start = *parse_cron("0 0 * * *");
  schedule.end = *parse_cron("30 0 * * *");
  schedule.min_replicas = 15;
  play.policy().schedules.push_back(schedule);
  CHECK(play.tick(fresh(100)).replicas == 10);
  CHECK(play.tick(fresh(100)).min_replicas == 10);
  CHECK(
      decide(play.policy(), observe(10, fresh(100)), play.history(), kStart + 31min).min_replicas ==
      2);
}

TEST_CASE("force-activation keeps one replica where the minimum is zero") {
  Play play(policy(0, 10), 0);
  play.policy().signals[0].kind = SignalKind::Query;
  Observation observation = observe(0, fresh(0));
  CHECK(play.tick(observation).replicas == 0);
  observation.force_activation = true;
  CHECK(play.tick(observation).replicas == 1);
}

TEST_CASE("an activation rate gates zero and one, and nothing else") {
  Play play(policy(0, 10), 0);
  play.policy().signals[0].kind = SignalKind::Query;
  play.policy().signals[0].activation_rate = 5;
  CHECK(play.tick(fresh(5)).replicas == 0);
  CHECK(play.tick(fresh(5.1)).replicas == 1);
  play.pass(30min, fresh(4));
  CHECK(play.replicas() == 0);
}

}  // namespace
}  // namespace scaledcache::core::test
