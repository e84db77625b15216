#include <functional>

#include <doctest/doctest.h>

#include "core/builders.h"
#include "core/decide.h"
#include "core/rates.h"

namespace scaledcache::core::test {
namespace {

// Ten replicas that served 1950 requests per second and have had 100 for longer than everything
// that holds, so that the next tick shrinks unless the row says otherwise.
struct Surplus {
  Policy rules = policy(2, 40);
  Observation observation = observe(10, fresh(100));
  History history;
  WallTime now;

  Surplus() {
    Play play(rules, 10);
    play.settle(1950);
    Observation paused = observe(10, fresh(100));
    paused.pause.no_shrinking = true;
    for (int i = 0; i < 120; ++i) {
      play.tick(paused);
    }
    history = play.history();
    now = play.now();
  }

  [[nodiscard]] Decision decide_now() const { return decide(rules, observation, history, now); }
};

TEST_CASE("where nothing holds, a fleet shrinks by one step") {
  const Decision decision = Surplus().decide_now();
  CHECK(decision.reason == Reason::ScaleDownLimited);
  CHECK(decision.replicas == 8);
}

TEST_CASE("each reason to hold keeps the count and is named") {
  struct Row {
    const char* name;
    Reason reason;
    std::function<void(Surplus&)> change;
  };

  const std::vector<Row> rows{
      {"pods drain", Reason::Draining, [](Surplus& s) { s.observation.draining = 1; }},
      {"data is partial", Reason::DataPartial,
       [](Surplus& s) {
         s.observation.signals[0] = with_health(100, Health::Partial, Fault::MissingPods);
       }},
      {"data is suspect", Reason::DataSuspect,
       [](Surplus& s) {
         s.observation.signals[0].delta = {1, 1900, 1900, 1900};
       }},
      {"at the maximum", Reason::AtMaximum,
       [](Surplus& s) {
         s.rules.max_replicas = 10;
         s.observation.signals[0] = fresh(4000);
       }},
      {"growth is paused", Reason::PausedDirection,
       [](Surplus& s) {
         s.observation.pause.no_growth = true;
         s.observation.signals[0] = fresh(4000);
       }},
      {"the short window needs it", Reason::Steady,
       [](Surplus& s) { s.observation.signals[0] = fresh(1950); }},
      {"at the minimum", Reason::AtMinimum, [](Surplus& s) { s.rules.min_replicas = 10; }},
      {"one signal is unknown", Reason::NoData,
       [](Surplus& s) {
         s.rules.signals.push_back(s.rules.signals[0]);
         s.rules.signals[1].name = "bytes";
         s.observation.signals.push_back(unusable(Fault::Timeout));
       }},
      {"too little fresh data", Reason::LongWindow,
       [](Surplus& s) { s.history.signals[0].fresh = ShareWindow{}; }},
      {"a rollout", Reason::RolloutInProgress,
       [](Surplus& s) {
         s.observation.rollout = Rollout{"2", {}};
       }},
      {"pods warm", Reason::Warming,
       [](Surplus& s) { s.observation.warming_since.push_back(s.now - 20s); }},
      {"the cooldown", Reason::CoolingDown, [](Surplus& s) { s.history.last_up = s.now - 4min; }},
      {"the peak", Reason::LongWindow,
       [](Surplus& s) { s.history.signals[0].peak.add(s.now - 1min, 1950); }},
      {"patience", Reason::LongWindow,
       [](Surplus& s) {
         s.observation.signals[0] = fresh(1600);
         s.history.idle = 0ms;
       }},
      {"between steps", Reason::ScaleDownLimited,
       [](Surplus& s) { s.history.last_down = s.now - 30s; }},
      {"shrinking is paused", Reason::PausedDirection,
       [](Surplus& s) { s.observation.pause.no_shrinking = true; }},
  };
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      Surplus surplus;
      row.change(surplus);
      const Decision decision = surplus.decide_now();
      CHECK(name_of(decision.reason) == name_of(row.reason));
      CHECK(decision.replicas == decision.from);
    }
  }
}

TEST_CASE("what holds does not hold for ever") {
  Surplus surplus;
  SUBCASE("a rollout for half an hour") {
    surplus.observation.rollout = Rollout{"2", surplus.now - 31min};
    CHECK(surplus.decide_now().replicas == 8);
  }
  SUBCASE("a revision anew") {
    surplus.history.rollout_revision = "1";
    surplus.history.rollout_since = surplus.now - 31min;
    surplus.observation.rollout = Rollout{"2", {}};
    CHECK(surplus.decide_now().reason == Reason::RolloutInProgress);
  }
  SUBCASE("a pod that never gets warm") {
    surplus.observation.warming_since.push_back(surplus.now - 10min);
    CHECK(surplus.decide_now().replicas == 8);
  }
}

TEST_CASE("a step down is a quarter, at least one, and never below what the long window needs") {
  struct Row {
    int replicas;
    int percent;
    int want;
  };

  for (const Row& row : {Row{10, 25, 8}, Row{3, 25, 2}, Row{10, 100, 2}, Row{9, 5, 8}}) {
    Surplus surplus;
    surplus.rules.scale_down.step_percent = row.percent;
    surplus.observation.replicas = row.replicas;
    surplus.history.replicas = row.replicas;
    CHECK(surplus.decide_now().replicas == row.want);
  }
}

TEST_CASE("a tenth of nine pods is at least one") {
  Play play(policy(2, 40), 9);
  play.settle(1750);
  play.pass(40min, fresh(1540));  // 1540 and its gate need 9
  CHECK(play.replicas() == 9);
  play.pass(60min, fresh(1440));  // 1440 and its gate need 8
  CHECK(play.replicas() == 8);
}

TEST_CASE("a large surplus goes when the long window agrees, a small one when it has lasted") {
  struct Row {
    const char* name;
    double rate;
    Milliseconds earliest;
    Milliseconds latest;
  };

  for (const Row& row : {Row{"a quarter", 2900, 300s, 310s}, Row{"a tenth", 3480, 745s, 760s}}) {
    SUBCASE(row.name) {
      Play play(policy(2, 40), 20);
      play.settle(3950);
      const WallTime fell = play.now();
      while (play.replicas() == 20 && play.now() < fell + 1h) {
        play.tick(fresh(row.rate));
      }
      const Milliseconds waited = play.now() - fell;
      CHECK(waited >= row.earliest);
      CHECK(waited <= row.latest);
    }
  }
}

TEST_CASE("a surplus that is needed again starts to wait anew, and one that is not seen is kept") {
  Play play(policy(2, 40), 20);
  play.settle(3950);
  play.pass(8min, fresh(3480));
  const Milliseconds idle = play.history().idle;
  CHECK(idle > 0ms);
  play.tick(with_health(3480, Health::Partial, Fault::MissingPods));
  CHECK(play.history().idle == idle);
  play.set_replicas(21);
  play.tick(fresh(3480));
  CHECK(play.history().idle <= 1s);
  play.tick(fresh(3950));
  CHECK(play.history().idle == 0ms);
}

TEST_CASE("an outage is held for as many long windows as were asked for") {
  for (const int hold : {1, 2, 3}) {
    Play play(policy(2, 40), 30);
    play.policy().scale_down.outage_hold = hold;
    play.settle(5900);
    SignalReading falling = fresh(900);
    falling.delta = {900, 3000, 5900, 5900};
    const WallTime fell = play.now();
    play.tick(falling);
    while (play.replicas() == 30 && play.now() < fell + 1h) {
      play.tick(fresh(900));
    }
    CHECK((play.now() - fell) / 5min == hold);
  }
}

}  // namespace
}  // namespace scaledcache::core::test
