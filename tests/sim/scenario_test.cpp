#include "sim/scenario.h"

#include <doctest/doctest.h>

#include "sim/files.h"
#include "sim/trace.h"

namespace scaledcache::sim::test {
namespace {

const std::string kHead =
    "name: a test\n"
    "policy: {minReplicas: 2, maxReplicas: 40, signals: [{requestsPerReplica: 200}]}\n";
const std::string kLoad = "load: [{at: 0s, rate: 100}]\n";

std::string problem_of(const std::string& text) {
  const Folder folder;
  const auto read = read_scenarios(folder.write("s.yaml", text));
  if (read) {
    return "";
  }
  std::string message = read.error().message;
  const std::size_t file = message.find("s.yaml");
  return file == std::string::npos ? message : message.substr(file);
}

TEST_CASE("a file that cannot be read names line, field and what was expected") {
  struct Row {
    const char* name;
    std::string text;
    std::string want;
  };

  const std::vector<Row> rows{
      {"another document", "kind: ScaledCache\nspec: {maxReplicas: 4}\n",
       "s.yaml:1: is no scenario: name, policy and load are required"},
      {"unknown key", kHead + kLoad + "wrold: {replicas: 2}\n",
       "s.yaml:4: wrold: unknown key; did you mean world?"},
      {"unknown key of a policy",
       "name: a\npolicy:\n  maxReplicas: 4\n  coolDown: 5m\n  signals: [{requestsPerReplica: "
       "1}]\n" +
           kLoad,
       "s.yaml:4: policy.coolDown: unknown key; did you mean cooldown?"},
      {"unknown key of a signal",
       "name: a\npolicy:\n  maxReplicas: 4\n  signals:\n    - {requestPerReplica: 1}\n" + kLoad,
       "s.yaml:5: policy.signals[0].requestPerReplica: unknown key; did you mean "
       "requestsPerReplica?"},
      {"a duration", kHead + kLoad + "world: {readyDelay: soon}\n",
       "s.yaml:4: world.readyDelay: \"soon\" is not a time: use numbers with d, h, m, s or ms, "
       "such as 90s or 1d12h"},
      {"out of range",
       "name: a\npolicy: {maxReplicas: 4, longWindow: 25h, signals: [{requestsPerReplica: 1}]}\n" +
           kLoad,
       "s.yaml:2: policy.longWindow: must be from 5s to 24h"},
      {"bounds",
       "name: a\npolicy: {minReplicas: 5, maxReplicas: 4, signals: [{requestsPerReplica: 1}]}\n" +
           kLoad,
       "s.yaml:2: policy.minReplicas: must not be above maxReplicas"},
      {"windows out of order",
       "name: a\npolicy: {maxReplicas: 4, shortWindow: 5m, longWindow: 1m, signals: "
       "[{requestsPerReplica: 1}]}\n" +
           kLoad,
       "s.yaml:2: policy.longWindow: must not be shorter than shortWindow"},
      {"zero with a counter",
       "name: a\npolicy: {minReplicas: 0, maxReplicas: 4, signals: [{requestsPerReplica: 1}]}\n" +
           kLoad,
       "s.yaml:2: policy.minReplicas: may be 0 only with query signals"},
      {"a threshold of nothing",
       "name: a\npolicy: {maxReplicas: 4, signals: [{requestsPerReplica: 0}]}\n" + kLoad,
       "s.yaml:2: policy.signals[0].requestsPerReplica: must be above 0"},
      {"a fallback without a count",
       "name: a\npolicy: {maxReplicas: 4, fallback: {behavior: Static}, signals: "
       "[{requestsPerReplica: 1}]}\n" +
           kLoad,
       "s.yaml:2: policy.fallback: replicas is required for this behavior"},
      {"a cron expression",
       "name: a\npolicy:\n  maxReplicas: 4\n  signals: [{requestsPerReplica: 1}]\n"
       "  schedules: [{start: '61 * * * *', end: '0 1 * * *', minReplicas: 2}]\n" +
           kLoad,
       "s.yaml:5: policy.schedules[0].start: \"61\" is no minute of a cron expression: use *, "
       "numbers from 0 to 59, "
       "ranges a-b, steps */n and lists a,b"},
      {"no load", kHead, "s.yaml:1: load is required"},
      {"a load out of order", kHead + "load:\n  - {at: 5m, rate: 1}\n  - {at: 1m, rate: 1}\n",
       "s.yaml:5: load[1]: must be later than the point before"},
      {"a load for no signal",
       kHead + "load: {requests: [{at: 0s, rate: 1}], bytes: [{at: 0s, rate: 1}]}\n",
       "s.yaml:3: load.bytes: unknown key; known are requests"},
      {"a fault that does not exist",
       kHead + kLoad + "events: [{from: 1m, to: 2m, metrics: emty}]\n",
       "s.yaml:4: events[0].metrics: \"emty\" is none of reset empty nan +inf -inf negative zero "
       "huge garbage "
       "two-series string matrix status-error http-400 http-503 refused timeout stale frozen "
       "duplicate stale-marker"},
      {"a fault at an instant", kHead + kLoad + "events: [{at: 1m, metrics: empty}]\n",
       "s.yaml:4: events[0]: lasts, so it needs from and to"},
      {"an edit that makes no sense",
       kHead + kLoad + "events:\n  - {at: 1m, policy: {maxReplicas: 1}}\n",
       "s.yaml:5: events[0].policy: minReplicas: must not be above maxReplicas"},
      {"a reason that does not exist", kHead + kLoad + "expect: [{at: 1m, reason: Growing}]\n",
       "is none of Paused"},
      {"an instant and a time",
       kHead + kLoad + "expect: [{at: 1m, from: 1m, to: 2m, replicas: 2}]\n",
       "s.yaml:4: expect[0]: has both an instant (at) and a time (from, to)"},
      {"broken YAML", "name: [a\n", "s.yaml:2: "},
      {"nothing", "", "s.yaml:1: holds no scenario"},
      {"a list", "- a\n", "s.yaml:1: a scenario is a map"},
  };
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      const std::string problem = problem_of(row.text);
      CAPTURE(problem);
      CHECK(problem.find(row.want) != std::string::npos);
    }
  }
}

TEST_CASE("a file that is not there, or cannot be read, is named") {
  // A folder opens and cannot be read; of the last one the first byte cannot.
  for (const char* file : {"/nowhere/s.yaml", "/", "/proc/self/mem"}) {
    const auto read = read_scenarios(file);
    REQUIRE_FALSE(read);
    CHECK(read.error().message == std::string(file) + ": cannot be read");
  }
  CHECK(read_trace("/", "").error().message == "/: cannot be read");
  const Folder folder;
  CHECK(read_trace(folder.write("t.csv", ""), "")
            .error()
            .message.ends_with("t.csv:1: must name the columns, such as time,requests"));
}

TEST_CASE("every problem is reported, not only the first") {
  const std::string problem = problem_of(kHead + "load: [{at: x, rate: y}]\nend: never\n");
  CHECK(problem.find("load[0].at") != std::string::npos);
  CHECK(problem.find("load[0].rate") != std::string::npos);
  CHECK(problem.find("end: \"never\"") != std::string::npos);
}

TEST_CASE("what is left out has its default") {
  const Folder folder;
  const auto read = read_scenarios(folder.write(
      "s.yaml",
      kHead + "load: [{at: 0s, rate: 100}, {at: 7m, rate: 1.5k}]\nexpect: [{replicas: 2}]\n"));
  REQUIRE(read);
  const Scenario& scenario = read->scenarios.at(0);
  CHECK(scenario.world.replicas == 2);
  CHECK(scenario.world.ready_delay == std::chrono::seconds{30});
  CHECK(scenario.world.scrape_interval == std::chrono::seconds{5});
  CHECK(scenario.end == std::chrono::minutes{12});
  CHECK(scenario.expectations.at(0).to == scenario.end);
  CHECK(scenario.loads.at(0).points.at(1).rate == 1500);
  CHECK(scenario.policy.signals.at(0).name == "requests");
}

TEST_CASE("a policy may stand in a manifest, and an edit is merged into it") {
  const Folder folder;
  static_cast<void>(folder.write(
      "m.yaml",
      "kind: ScaledCache\nspec:\n  maxReplicas: 30\n  scaleUp: {maxPods: 7, maxFactor: 3}\n"
      "  signals: [{preset: Varnish, requestsPerReplica: 250m}]\n"));
  const auto read = read_scenarios(
      folder.write("s.yaml", "name: a\npolicy: {file: m.yaml}\n" + kLoad +
                                 "events: [{at: 1m, policy: {scaleUp: {maxFactor: 2}}}]\n"));
  REQUIRE(read);
  const Scenario& scenario = read->scenarios.at(0);
  CHECK(scenario.policy.signals.at(0).requests_per_replica == 0.25);
  CHECK(scenario.events.at(0).policy->scale_up.max_factor == 2);
  CHECK(scenario.events.at(0).policy->scale_up.max_pods == 7);
  CHECK(scenario.events.at(0).policy->max_replicas == 30);
}

TEST_CASE("a trace that is not there is told apart from one that is broken") {
  const Folder folder;
  const std::string text = kHead + "load: {trace: day.csv, column: count, step: 60s}\n";
  const auto missing = read_scenarios(folder.write("s.yaml", text));
  REQUIRE(missing);
  CHECK(missing->scenarios.empty());
  CHECK(missing->missing.at(0).name == "a test");
  static_cast<void>(folder.write("day.csv", "time,count\n0,5\n60,many\n"));
  const auto broken = read_scenarios(folder.path("s.yaml"));
  REQUIRE_FALSE(broken);
  CHECK(broken.error().message.find("day.csv:3: count: must be a number") != std::string::npos);
  static_cast<void>(folder.write("day.csv", "time,total\n0,5\n60,6\n"));
  CHECK(read_scenarios(folder.path("s.yaml")).error().message.find("there are time,total") !=
        std::string::npos);
}

TEST_CASE("the examples of docs/simulate.md are read") {
  std::ifstream file(std::string(SCALEDCACHE_SOURCE_DIR) + "/docs/simulate.md");
  REQUIRE(file);
  std::string example;
  int examples = 0;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) {
      if (inside) {
        const std::string problem = problem_of(example);
        CAPTURE(problem);
        CHECK(problem.empty());
        ++examples;
      }
      inside = line == "```yaml";
      example.clear();
    } else if (inside) {
      example += line + '\n';
    }
  }
  CHECK(examples == 2);
}

}  // namespace
}  // namespace scaledcache::sim::test
