#include "controller/commands/explain.h"

#include <sstream>

#include <doctest/doctest.h>

#include "controller/decision_record.h"
#include "core/decide.h"
#include "core/describe.h"

namespace scaledcache::controller {
namespace {

// A line as the controller logs it, of a fleet of two that was asked for more.
nlohmann::ordered_json line() {
  DecisionInputs inputs;
  inputs.now = WallTime{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};
  inputs.policy.min_replicas = 2;
  inputs.policy.max_replicas = 10;
  core::SignalPolicy signal;
  signal.requests_per_replica = 200;
  inputs.policy.signals = {signal};
  inputs.history = core::first_history(inputs.now);
  inputs.observation.replicas = 2;
  core::SignalReading reading;
  reading.health = core::Health::Fresh;
  reading.fault = core::Fault::None;
  reading.short_rate = 900;
  reading.delta = {900, 900, 900, 900};
  inputs.observation.signals = {reading};
  const core::Decision decision =
      core::decide(inputs.policy, inputs.observation, inputs.history, inputs.now);
  return {{"msg", "decision"},
          {"from", decision.from},
          {"to", decision.replicas},
          {"reason", core::name_of(decision.reason)},
          {"sentence", core::describe(inputs.policy, inputs.observation, decision, inputs.now)},
          {"inputs", record_inputs(inputs)}};
}

struct Result {
  int exit = 0;
  std::string out;
};

Result explain_text(const std::string& log) {
  std::istringstream in(log);
  std::ostringstream out;
  std::ostringstream err;
  const std::vector<std::string> args{"--log", "-"};
  const int exit = explain(args, {.in = in, .out = out, .err = err}, {});
  return {exit, out.str() + err.str()};
}

TEST_CASE("decisions that come out the same are counted, other lines are passed over") {
  const auto result = explain_text("{\"msg\":\"serving\"}\nplain text\n" + line().dump() + "\n" +
                                   line().dump() + "\n");
  CHECK(result.exit == 0);
  CHECK(result.out == "2 decisions: 2 come out the same, 0 differently, 0 cannot be replayed\n");
}

TEST_CASE("a decision that would come out differently is shown with both outcomes") {
  auto changed = line();
  changed["to"] = 7;
  const auto result = explain_text(changed.dump() + "\n");
  CHECK(result.exit == 1);
  CHECK(result.out.find("line 1: was 2 -> 7 Grow") != std::string::npos);
  CHECK(result.out.find("would be 2 -> 5 Grow") != std::string::npos);
}

TEST_CASE("a line that cannot be replayed says why") {
  auto broken = line();
  broken["inputs"]["policy"]["minReplicas"] = "two";
  auto bare = line();
  bare.erase("inputs");
  const auto result = explain_text(broken.dump() + "\n" + bare.dump() + "\n");
  CHECK(result.exit == 1);
  CHECK(result.out.find("line 1: cannot be replayed: member \"minReplicas\"") != std::string::npos);
  CHECK(result.out.find("line 2: cannot be replayed: it has no inputs") != std::string::npos);
}

TEST_CASE("a log without decisions is no success") {
  CHECK(explain_text("2026-01-01 info decision key=a/b\n").exit == 1);
}

TEST_CASE("wrong arguments and files that are not there are exit status 2") {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  for (const std::vector<std::string>& args : {std::vector<std::string>{},
                                               {"--log"},
                                               {"a", "b"},
                                               {"--log", "/"},
                                               {"--log", "/nowhere/log.json"}}) {
    CHECK(explain(args, {.in = in, .out = out, .err = err}, {}) == 2);
  }
  CHECK(err.str().find("--log=\"/nowhere/log.json\": the file cannot be read") !=
        std::string::npos);
}

}  // namespace
}  // namespace scaledcache::controller
