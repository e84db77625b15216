#include "cache/origin_budget.h"

#include <optional>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "cache/fake_pods.h"
#include "support/fake_clock.h"

namespace scaledcache::cache {
namespace {

using support::SteppingClock;

TEST_CASE("tickets come at even distances, and idle time saves none up") {
  SteppingClock clock;
  OriginBudget budget(clock, {.per_second = 20});
  const SteadyTime begin = clock.steady();
  for (int i = 0; i < 21; ++i) {
    CHECK(budget.take({}));
  }
  CHECK(clock.steady() - begin == std::chrono::seconds{1});
  clock.pass(std::chrono::minutes{1});
  const SteadyTime later = clock.steady();
  for (int i = 0; i < 5; ++i) {
    CHECK(budget.take({}));
  }
  CHECK(clock.steady() - later == Milliseconds{200});
}

TEST_CASE("without a rate nobody waits, and a new rate holds at once") {
  SteppingClock clock;
  OriginBudget budget(clock, {});
  const SteadyTime begin = clock.steady();
  for (int i = 0; i < 100; ++i) {
    CHECK(budget.take({}));
  }
  CHECK(clock.steady() == begin);
  budget.set_limits({.per_second = 1});
  CHECK(budget.take({}));
  CHECK(budget.take({}));
  CHECK(clock.steady() - begin == std::chrono::seconds{1});
}

TEST_CASE("the budget above holds as well") {
  SteppingClock clock;
  OriginBudget all(clock, {.per_second = 10});
  OriginBudget first(clock, {.per_second = 1'000}, &all);
  OriginBudget second(clock, {}, &all);
  const SteadyTime begin = clock.steady();
  for (int i = 0; i < 5; ++i) {
    CHECK(first.take({}));
    CHECK(second.take({}));
  }
  CHECK(clock.steady() - begin >= Milliseconds{900});
}

TEST_CASE("no more requests are out than places, and a place that is left is taken") {
  SteppingClock clock;
  OriginBudget all(clock, {.at_once = 3});
  OriginBudget budget(clock, {.at_once = 2}, &all);
  std::vector<OriginBudget::Ticket> tickets;
  tickets.push_back(std::move(*budget.take({})));
  tickets.push_back(std::move(*budget.take({})));
  bool taken = false;
  std::thread waiting([&] { taken = budget.take({}).has_value(); });
  tickets.pop_back();
  waiting.join();
  CHECK(taken);
}

TEST_CASE("a stop ends the wait for a place, here or above, and takes nothing") {
  SteppingClock clock;
  OriginBudget all(clock, {.at_once = 1});
  OriginBudget budget(clock, {.at_once = 1}, &all);
  for (OriginBudget* full : {&budget, &all}) {
    std::optional<OriginBudget::Ticket> ticket = full->take({});
    std::stop_source source;
    bool taken = true;
    std::thread waiting([&] { taken = budget.take(source.get_token()).has_value(); });
    source.request_stop();
    waiting.join();
    CHECK(!taken);
    ticket.reset();
    CHECK(budget.take({}));
  }
}

TEST_CASE("a stop ends the wait for the rate") {
  support::FakeClock clock;
  OriginBudget budget(clock, {.per_second = 0.001});
  CHECK(budget.take({}));
  std::stop_source source;
  bool taken = true;
  std::thread waiting([&] { taken = budget.take(source.get_token()).has_value(); });
  source.request_stop();
  waiting.join();
  CHECK(!taken);
}

TEST_CASE("an origin is in trouble when more than a fifth of the newest answers fail") {
  SteppingClock clock;
  OriginHealth health(clock);
  for (int i = 0; i < 9; ++i) {
    health.note(true, Milliseconds{10});
  }
  CHECK(health.trouble() == OriginTrouble::None);  // too few to tell
  OriginHealth other(clock);
  for (int i = 0; i < 20; ++i) {
    other.note(i % 5 == 4, Milliseconds{10});
  }
  CHECK(other.trouble() == OriginTrouble::None);
  other.note(true, Milliseconds{10});  // in place of the oldest, which did not fail
  CHECK(other.trouble() == OriginTrouble::Errors);
}

TEST_CASE("an origin is in trouble when half of the newest answers are slow") {
  SteppingClock clock;
  OriginHealth health(clock, {.slow = Milliseconds{100}});
  for (int i = 0; i < 20; ++i) {
    health.note(false, Milliseconds{i < 11 ? 100 : 5'000});
  }
  CHECK(health.trouble() == OriginTrouble::None);
  health.note(false, Milliseconds{5'000});
  CHECK(health.trouble() == OriginTrouble::Slow);
}

TEST_CASE("trouble stands for its time, then the count begins anew") {
  SteppingClock clock;
  OriginHealth health(clock);
  for (int i = 0; i < 30; ++i) {
    health.note(true, Milliseconds{10});
  }
  clock.pass(Milliseconds{14'999});
  CHECK(health.trouble() == OriginTrouble::Errors);
  clock.pass(Milliseconds{1});
  CHECK(health.trouble() == OriginTrouble::None);
  for (int i = 0; i < 9; ++i) {
    health.note(true, Milliseconds{10});
  }
  CHECK(health.trouble() == OriginTrouble::None);
  health.note(true, Milliseconds{10});
  CHECK(health.trouble() == OriginTrouble::Errors);
}

TEST_CASE("pods are warmed in waves") {
  WarmupWaves waves(3);
  CHECK(waves.try_enter("a", 2));
  CHECK(waves.try_enter("a", 2));
  CHECK(!waves.try_enter("a", 2));
  CHECK(waves.try_enter("b", 2));
  CHECK(!waves.try_enter("c", 2));
  waves.leave("nobody");
  CHECK(!waves.try_enter("c", 2));
  waves.leave("a");
  CHECK(waves.try_enter("a", 2));
  waves.leave("b");
  CHECK(waves.try_enter("c", 2));
}

}  // namespace
}  // namespace scaledcache::cache
