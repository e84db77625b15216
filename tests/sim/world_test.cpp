// The world that scenarios play in: loads, faults, figures.
#include <cmath>

#include <doctest/doctest.h>

#include "sim/check.h"
#include "sim/figures.h"
#include "sim/files.h"
#include "sim/load.h"
#include "sim/run.h"
#include "sim/textbook.h"

namespace scaledcache::sim::test {
namespace {

Scenario read_one(const std::string& text) {
  const Folder folder;
  auto read = read_scenarios(folder.write("s.yaml", text));
  REQUIRE_MESSAGE(read, (read ? "" : read.error().message));
  return read->scenarios.at(0);
}

TEST_CASE("a load steps, ramps, and flows before the start") {
  const Scenario scenario = read_one(
      "name: a\npolicy: {maxReplicas: 4, signals: [{requestsPerReplica: 1}]}\n"
      "load: [{at: 0s, rate: 100}, {at: 10s, rate: 300}, {at: 20s, rate: 500, ramp: true}]\n");
  LoadCurve curve(scenario.loads[0], 1);
  CHECK(curve.at(-5) == 100);
  CHECK(curve.at(9) == 100);
  CHECK(curve.at(10) == 300);
  CHECK(curve.at(15) == 400);
  CHECK(curve.at(25) == 500);
}

TEST_CASE(
    "noise has no mean, the deviation that was asked for, and depends on seed and second alone") {
  const Load load{{{Milliseconds{0}, 900, {0, true}, false}}, {}, {}, {}, {}};
  double sum = 0;
  double squares = 0;
  LoadCurve curve(load, 7);
  for (int second = 0; second < 20'000; ++second) {
    const double off = curve.at(second) - 900;
    sum += off;
    squares += off * off;
  }
  CHECK(std::abs(sum / 20'000) < 1);
  CHECK(std::sqrt(squares / 20'000) == doctest::Approx(30).epsilon(0.05));
  CHECK(LoadCurve(load, 7).at(77) == LoadCurve(load, 7).at(77));
  CHECK(LoadCurve(load, 7).at(77) != LoadCurve(load, 8).at(77));
}

TEST_CASE("a trace is scaled to its peak, skipped into, and linear between its points") {
  const Folder folder;
  static_cast<void>(folder.write("day.csv", "when,count\na,60\nb,120\nc,600\nd,0\n"));
  const auto read = read_scenarios(
      folder.write("s.yaml",
                   "name: a\npolicy: {maxReplicas: 40, signals: [{requestsPerReplica: 200}]}\n"
                   "load: {trace: day.csv, step: 60s, peakReplicas: 10, skip: 1m}\nend: 2m\n"));
  REQUIRE(read);
  LoadCurve curve(read->scenarios.at(0).loads.at(0), 1);
  CHECK(curve.at(0) == doctest::Approx(400));
  CHECK(curve.at(30) == doctest::Approx(1200));
  CHECK(curve.at(60) == doctest::Approx(2000));
  CHECK(curve.at(900) == doctest::Approx(0));
}

TEST_CASE("ten minutes of any fault leave a fleet of twenty at twenty") {
  for (const std::string kind : {"", ", query: 'sum(rate(requests_total[$window]))'"}) {
    for (const std::string fault :
         {"empty",          "nan",          "+inf",           "-inf",
          "negative",       "garbage",      "two-series",     "string",
          "matrix",         "status-error", "http-400",       "http-503",
          "refused",        "timeout",      "stale",          "frozen",
          "duplicate",      "stale-marker", "{partial: 0.5}", "{partial: 0.8}",
          "{partial: 1.0}", "{clock: +5m}", "{clock: -5m}",   "{delay: 20s}",
          "{delay: 2m}",    "zero"}) {
      CAPTURE(kind);
      CAPTURE(fault);
      const Scenario scenario = read_one(
          "name: a\npolicy: {minReplicas: 2, maxReplicas: 40, longWindow: 11m, signals: "
          "[{requestsPerReplica: 200" +
          kind + "}]}\nworld: {replicas: 20}\nload: [{at: 0s, rate: 3900}]\n" +
          "events: [{from: 15m, to: 25m, metrics: " + fault +
          "}]\nexpect: [{replicas: 20}]\nend: 40m\n");
      const auto broken = check(scenario, run(scenario));
      CHECK_MESSAGE(broken.empty(), (broken.empty() ? "" : broken.front().seen));
    }
  }
}

TEST_CASE("what is expected and does not hold is reported with what was seen") {
  const Scenario scenario = read_one(
      "name: a\npolicy: {minReplicas: 2, maxReplicas: 40, signals: [{requestsPerReplica: 200}]}\n"
      "load: [{at: 0s, rate: 390}, {at: 5m, rate: 790}]\n"
      "expect:\n"
      "  - {at: 6m, replicas: 2}\n"
      "  - {at: 4m, reason: Grow}\n"
      "  - {at: 4m, condition: Paused, status: 'True'}\n"
      "  - {changes: {max: 0}}\n"
      "  - {reversals: {min: 1}}\n"
      "  - {unserved: 0}\n"
      "  - {under: {max: 0}}\n"
      "  - {over: {min: 50}}\n"
      "  - {cost: {max: 0.1}}\n"
      "  - {from: 1m, to: 4m, reason: Steady}\n"
      "  - {from: 1m, to: 6m, reason: Steady}\n");
  const auto broken = check(scenario, run(scenario));
  REQUIRE(broken.size() == 10);
  CHECK(broken[0].seen == "4 replicas at 6m");
  CHECK(broken[0].line == 5);
  CHECK(broken[1].seen == "reason Steady at 4m");
  CHECK(broken[2].seen == "Paused is False at 4m");
  CHECK(broken[3].seen.starts_with("changes "));
}

TEST_CASE("figures of a run that was made by hand") {
  Run run;
  for (int second = 0; second < 100; ++second) {
    Moment moment;
    moment.offered = second < 50 ? 400 : 800;
    moment.replicas = second < 60 ? 2 : 4;
    moment.ready = second < 70 ? 2 : 5;
    moment.demand = second < 50 ? 2 : 4;
    run.moments.push_back(moment);
  }
  const auto change = [&](std::int64_t second, int from, int to) {
    Step step;
    step.second = second;
    step.from = from;
    step.to = to;
    run.steps.push_back(step);
  };
  change(10, 3, 2);
  change(60, 2, 4);
  const Figures figures = figures_of(run, 200, 0, 99);
  CHECK(figures.under == doctest::Approx(100 * 20 * 0.5 / 100));
  CHECK(figures.over == doctest::Approx(100 * 30 * 0.25 / 100));
  CHECK(figures.unserved == doctest::Approx(100 * 20 * 400 / 60'000.0));
  CHECK(figures.changes == 2);
  CHECK(figures.reversals == 1);
  CHECK(figures.cost == doctest::Approx((60 * 2 + 40 * 4) / 3600.0));
}

TEST_CASE("the textbook HPA has its tolerance, its doubling and its five minutes") {
  const Scenario scenario = read_one(
      "name: a\npolicy: {minReplicas: 2, maxReplicas: 40, signals: [{requestsPerReplica: 200}]}\n"
      "world: {replicas: 10}\nload: [{at: 0s, rate: 2100}, {at: 5m, rate: 7000}, {at: 10m, rate: "
      "2000}]\nend: 20m\n");
  const Run hpa = run_textbook(scenario, hpa_rule());
  CHECK(hpa.moments.at(299).replicas == 10);
  CHECK(hpa.moments.at(320).replicas == 20);
  CHECK(hpa.moments.at(345).replicas == 35);
  CHECK(hpa.moments.at(890).replicas == 35);
  CHECK(hpa.moments.at(960).replicas == 10);
}

TEST_CASE("the HPA at equal cost is the one of 50 to 100 % whose replica-hours come nearest") {
  const Scenario scenario = read_one(
      "name: a\npolicy: {minReplicas: 2, maxReplicas: 40, signals: [{requestsPerReplica: 200}]}\n"
      "world: {replicas: 10}\nload: [{at: 0s, rate: 1500}, {at: 20m, rate: 5000}]\nend: 1h\n");
  const auto cost_of = [&](double target_share) {
    TextbookRule rule = hpa_rule();
    rule.target_share = target_share;
    return figures_of(run_textbook(scenario, rule), carries(scenario), 0, 3600).cost;
  };
  for (const double cost : {0.0, 20.0, 26.0, 30.0, 1000.0}) {
    CAPTURE(cost);
    const TextbookRule chosen = hpa_rule_at_cost(scenario, cost);
    CHECK(chosen.window == hpa_rule().window);
    CHECK(chosen.target_share >= 0.5);
    CHECK(chosen.target_share <= 1);
    for (int percent = 50; percent <= 100; ++percent) {
      CHECK(std::abs(cost_of(chosen.target_share) - cost) <=
            std::abs(cost_of(percent / 100.0) - cost));
    }
  }
  CHECK(cost_of(hpa_rule_at_cost(scenario, 1000).target_share) >
        cost_of(hpa_rule_at_cost(scenario, 0).target_share));
}

}  // namespace
}  // namespace scaledcache::sim::test
