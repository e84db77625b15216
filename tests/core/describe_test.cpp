#include "core/describe.h"

#include <doctest/doctest.h>

#include "core/builders.h"
#include "core/conditions.h"
#include "core/rates.h"

namespace scaledcache::core::test {
namespace {

std::string sentence(const Policy& rules,
                     const Observation& observation,
                     const History& history,
                     WallTime now) {
  return describe(rules, observation, decide(rules, observation, history, now), now);
}

TEST_CASE("a sentence has the numbers that led there") {
  const Policy rules = policy();
  CHECK(sentence(rules, observe(2, fresh(2300)), first_history(kStart), kStart) ==
        "2300 req/s need 12 replicas (200 each), capped at 10 by maxReplicas; limited to 8 now; "
        "next look in 5s");
  CHECK(
      sentence(rules, observe(10, SignalReading{}), first_history(kStart), kStart) ==
      "no usable data from requests (Missing, EmptyAnswer); holding 10 replicas; next look in 5s");
  Play play(policy(2, 40), 20);
  play.settle(3950);
  play.pass(2min, fresh(400));
  CHECK(sentence(play.policy(), observe(20, fresh(400)), play.history(), play.now()) ==
        "the peak of the last 5m (3950 req/s) needs 20; holding 20 replicas; next look in 5s");
}

TEST_CASE("every reason has a sentence of its own, on one line") {
  Play play(policy(2, 40), 20);
  play.settle(3950);
  Observation observation = observe(20, fresh(400));
  const Decision base = decide(play.policy(), observation, play.history(), play.now());
  for (const Reason reason : kAllReasons) {
    Decision decision = base;
    decision.reason = reason;
    const std::string text = describe(play.policy(), observation, decision, play.now());
    CAPTURE(text);
    CHECK(text.find('\n') == std::string::npos);
    CHECK(text.size() > 30);
    CHECK(text.find("20") != std::string::npos);
  }
}

TEST_CASE("names are the ones of the contract, each once") {
  for (const Reason reason : kAllReasons) {
    int same = 0;
    for (const Reason other : kAllReasons) {
      same += name_of(other) == name_of(reason) ? 1 : 0;
    }
    CHECK(same == 1);
  }
  CHECK(name_of(Reason::Paused) == "Paused");
  CHECK(name_of(Reason::PausedDirection) == "PausedDirection");
  CHECK(name_of(Reason::LongWindow) == "LongWindow");
  CHECK(name_of(Fault::TooFewSamples) == "TooFewSamples");
  CHECK(name_of(Health::Suspect) == "Suspect");
}

std::string condition(const Play& play,
                      const Decision& decision,
                      const Observation& observation,
                      const char* type) {
  Play copy = play;
  for (const Condition& one :
       judge_conditions(copy.policy(), observation, decision, play.now() - 5s)) {
    if (one.type == type) {
      return std::string(one.status == Status::True    ? "True "
                         : one.status == Status::False ? "False "
                                                       : "Unknown ") +
             std::string(one.reason);
    }
  }
  return "absent";
}

TEST_CASE("MetricsReady waits half a minute, two polls or two scrapes before it turns False") {
  Play play(policy(2, 40), 10);
  const Observation lost = observe(10, unusable(Fault::Timeout));
  CHECK(condition(play, play.tick(lost), lost, "MetricsReady") == "Unknown Pending");
  const Observation good = observe(10, fresh(1950));
  CHECK(condition(play, play.tick(good), good, "MetricsReady") == "True Fresh");
  Decision decision = play.pass(25s, lost.signals[0]);
  CHECK(condition(play, decision, lost, "MetricsReady") == "True Fresh");
  decision = play.tick(lost);
  CHECK(condition(play, decision, lost, "MetricsReady") == "False BackendUnreachable");
}

TEST_CASE("a counter that stands still is named as the cause") {
  Play play(policy(2, 40), 10);
  play.settle(1950);
  SignalReading stuck = fresh(0);
  stuck.delta = {0, 1950, 1950, 1950};
  stuck.standing_still = true;
  play.tick(stuck);
  SignalReading still = fresh(0);
  still.standing_still = true;
  const Decision decision = play.pass(1min, still);
  CHECK(condition(play, decision, observe(10, still), "MetricsReady") == "False MetricStuck");
}

TEST_CASE("conditions follow the decision") {
  Play play(policy(2, 10), 10);
  Observation observation = observe(10, fresh(1950));
  SUBCASE("paused") {
    observation.pause.paused = true;
    CHECK(condition(play, play.tick(observation), observation, "Paused") == "True Annotation");
  }
  SUBCASE("not paused") {
    CHECK(condition(play, play.tick(observation), observation, "Paused") == "False NotPaused");
    CHECK(condition(play, play.tick(observation), observation, "ScalingLimited") ==
          "False AsWished");
    CHECK(condition(play, play.tick(observation), observation, "Active") == "True AboveActivation");
  }
  SUBCASE("at the maximum") {
    observation.signals[0] = fresh(5000);
    CHECK(condition(play, play.tick(observation), observation, "ScalingLimited") ==
          "True AtMaximum");
  }
  SUBCASE("contested") {
    observation.contender = Contender::HorizontalPodAutoscaler;
    CHECK(condition(play, play.tick(observation), observation, "Contested") ==
          "True HorizontalPodAutoscaler");
  }
  SUBCASE("fallback") {
    play.policy().fallback = {FallbackBehavior::Static, 10};
    observation.signals[0] = unusable(Fault::EmptyAnswer);
    const Decision decision = play.pass(4min, observation.signals[0]);
    CHECK(condition(play, decision, observation, "Fallback") == "True Static");
  }
}

TEST_CASE("a fallback is exactly what it says, up at once and down in steps") {
  struct Row {
    const char* name;
    FallbackPolicy fallback;
    int replicas;
    int after_grace;
    int in_the_end;
  };

  for (const Row& row :
       {Row{"hold", {FallbackBehavior::Hold, 0}, 6, 6, 6},
        Row{"static, higher", {FallbackBehavior::Static, 9}, 4, 9, 9},
        Row{"static, lower", {FallbackBehavior::Static, 3}, 8, 6, 3},
        Row{"current or higher", {FallbackBehavior::CurrentOrHigher, 5}, 8, 8, 8},
        Row{"current or higher, raised", {FallbackBehavior::CurrentOrHigher, 9}, 4, 9, 9},
        Row{"current or lower", {FallbackBehavior::CurrentOrLower, 9}, 4, 4, 4},
        Row{"maximum", {FallbackBehavior::Maximum, 0}, 4, 10, 10},
        Row{"never above the maximum", {FallbackBehavior::Static, 99}, 4, 10, 10}}) {
    SUBCASE(row.name) {
      Play play(policy(), row.replicas);
      play.policy().fallback = row.fallback;
      play.settle(row.replicas * 195);
      const SignalReading lost = unusable(Fault::Timeout);
      CHECK(play.pass(3min - 5s, lost).replicas == row.replicas);
      CHECK(play.pass(10s, lost).replicas == row.after_grace);
      CHECK(play.pass(30min, lost).replicas == row.in_the_end);
    }
  }
}

}  // namespace
}  // namespace scaledcache::core::test
