// The rules as data: what people are told about them is what decides.
#include <set>

#include <doctest/doctest.h>

#include "core/builders.h"
#include "core/decide.h"
#include "core/random.h"

namespace scaledcache::core::test {
namespace {

SignalReading unusable() {
  SignalReading reading;
  reading.health = Health::Missing;
  reading.fault = Fault::Timeout;
  return reading;
}

const RuleVerdict* first_that_speaks(const std::vector<RuleVerdict>& rules) {
  for (const RuleVerdict& rule : rules) {
    if (rule.speaks) {
      return &rule;
    }
  }
  return nullptr;
}

TEST_CASE("the first rule of the walk that speaks says what is decided") {
  Random random(11);
  std::set<Reason> seen;
  for (int i = 0; i < 5'000; ++i) {
    Policy rules = policy(random.whole(0, 3), 20, 200);
    Observation look;
    look.replicas = random.whole(0, 25);
    look.pods.ready = look.replicas;
    look.pause.paused = random.chance(0.1);
    look.pause.no_growth = random.chance(0.1);
    look.draining = random.chance(0.1) ? 1 : 0;
    look.signals = {random.chance(0.2) ? unusable() : fresh(random.between(0, 5'000))};
    History history = first_history(kStart - std::chrono::seconds{random.whole(0, 900)});
    const Decision decision = decide(rules, look, history, kStart);
    const auto walked = walk_rules(rules, look, history, kStart);
    const RuleVerdict* first = first_that_speaks(walked);
    REQUIRE(first != nullptr);
    REQUIRE(first->reason == decision.reason);
    REQUIRE(first->replicas == decision.replicas);
    seen.insert(first->reason);
  }
  CHECK(seen.size() >= 10);
}

TEST_CASE("the walk has every rule once, in the order of docs/decision.md") {
  Observation look;
  look.replicas = 2;
  look.signals = {fresh(400)};
  const auto walked = walk_rules(policy(2, 10, 200), look, first_history(kStart), kStart);
  REQUIRE(walked.size() > 20);
  CHECK(walked.front().rule == Reason::Paused);
  CHECK(walked[6].rule == Reason::Grow);
  CHECK(walked.back().rule == Reason::Shrink);
}

TEST_CASE("each reason says what it watches for, in words of its own") {
  std::set<std::string_view> meanings;
  for (const Reason reason : kAllReasons) {
    CHECK(!meaning_of(reason).empty());
    CHECK(meanings.insert(meaning_of(reason)).second);
  }
}

}  // namespace
}  // namespace scaledcache::core::test
