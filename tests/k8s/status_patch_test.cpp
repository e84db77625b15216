#include "k8s/status_patch.h"

#include <algorithm>
#include <functional>

#include <doctest/doctest.h>

#include "k8s/status_samples.h"

namespace scaledcache::k8s {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

Spec spec_of_two_hundred() {
  Spec spec;
  spec.signals.resize(1);
  spec.signals[0].requests_per_replica = 200;
  return spec;
}

bool due_after(const std::function<void(Status&)>& edit, Milliseconds since_write = seconds{60}) {
  Status next = full_status();
  edit(next);
  return status_write_due(spec_of_two_hundred(), full_status(), next, since_write);
}

bool has_operation(const Json& operations, const std::string& op, const std::string& path) {
  return std::any_of(operations.begin(), operations.end(), [&](const Json& operation) {
    return operation["op"] == op && operation["path"] == path;
  });
}

TEST_CASE("what people and a restart must see is written at once") {
  struct Row {
    const char* name;
    std::function<void(Status&)> edit;
  };

  const WallTime later = at("2026-01-01T01:00:00Z");
  for (const Row& row : std::vector<Row>{
           {"generation", [](Status& s) { s.observed_generation = 4; }},
           {"replicas", [](Status& s) { s.replicas = 9; }},
           {"desired", [](Status& s) { s.desired_replicas = 9; }},
           {"ready", [](Status& s) { s.ready_replicas = 8; }},
           {"warm", [](Status& s) { s.warm_replicas = 7; }},
           {"warming", [](Status& s) { s.warming = 1; }},
           {"draining", [](Status& s) { s.draining = 2; }},
           {"goal of the drains", [](Status& s) { s.drain_goal.reset(); }},
           {"a drain more",
            [](Status& s) {
              s.drains.push_back({"varnish-d", "uid-d", {}});
            }},
           {"to of the decision", [](Status& s) { s.last_decision->to = 9; }},
           {"reason of the decision", [](Status& s) { s.last_decision->reason = "Steady"; }},
           {"no decision any more", [](Status& s) { s.last_decision.reset(); }},
           {"status of a condition",
            [](Status& s) { s.conditions[0].status = ConditionStatus::True; }},
           {"reason of a condition", [](Status& s) { s.conditions[1].reason = "Stale"; }},
           {"a condition more", [](Status& s) { s.conditions.push_back({}); }},
           {"growth timer", [&](Status& s) { s.last_scale_up_time = later; }},
           {"shrink timer", [&](Status& s) { s.last_scale_down_time = later; }},
           {"last change", [](Status& s) { s.last_change->by = "kubectl"; }},
           {"obeyed pause", [](Status& s) { s.paused_replicas.reset(); }},
           {"a foreign write", [&](Status& s) { s.foreign_write_times.push_back(later); }},
           {"outage hold", [](Status& s) { s.outage_hold_until.reset(); }},
           {"suspicion ends", [](Status& s) { s.signals[0].suspect_since.reset(); }},
           {"risk by more than a tenth", [](Status& s) { s.signals[0].risk *= 1.3; }},
           {"a signal more", [](Status& s) { s.signals.resize(2); }},
       }) {
    SUBCASE(row.name) {
      CHECK(due_after(row.edit, seconds{0}));
    }
  }
}

TEST_CASE("measured values ride along and cause no write") {
  struct Row {
    const char* name;
    std::function<void(Status&)> edit;
  };

  const WallTime later = at("2026-01-01T01:00:00Z");
  for (const Row& row : std::vector<Row>{
           {"nothing", [](Status&) {}},
           {"how far a pod is", [](Status& s) { s.pods[0].hit_percent = 40; }},
           {"rate by less than a fifth", [](Status& s) { s.signals[0].short_rate = 2000; }},
           {"peak", [](Status& s) { s.signals[0].peak = 5000; }},
           {"wish", [](Status& s) { s.signals[0].wish = 11; }},
           {"age", [](Status& s) { s.signals[0].sample_age = seconds{4}; }},
           {"coverage", [](Status& s) { s.signals[0].coverage = 1; }},
           {"noise", [](Status& s) { s.signals[0].noise = 99; }},
           {"risk by less than a tenth", [](Status& s) { s.signals[0].risk *= 1.1; }},
           {"a risk that is next to none", [](Status& s) { s.signals[0].risk = 0.00041; }},
           {"time of measuring", [&](Status& s) { s.measured_time = later; }},
           {"time of being usable", [&](Status& s) { s.signals[0].last_usable_time = later; }},
           {"time of the decision", [&](Status& s) { s.last_decision->time = later; }},
           {"numbers in the sentence", [](Status& s) { s.last_decision->message = "2301"; }},
           {"numbers in a condition", [](Status& s) { s.conditions[0].message = "2301"; }},
           {"idle time", [](Status& s) { s.idle += seconds{5}; }},
           {"lead", [](Status& s) { s.lead = seconds{33}; }},
       }) {
    SUBCASE(row.name) {
      CHECK_FALSE(due_after(row.edit));
    }
  }
}

TEST_CASE("a rate that moved far is written, at most every 30 s") {
  const auto drop = [](Status& s) { s.signals[0].short_rate = 1800; };
  CHECK_FALSE(due_after(drop, seconds{29}));
  CHECK(due_after(drop, seconds{30}));
}

TEST_CASE("a fifth of little is not far: it must be what one replica carries") {
  Status stored = full_status();
  stored.signals[0].short_rate = 100;
  Status next = stored;
  next.signals[0].short_rate = 299;
  CHECK_FALSE(status_write_due(spec_of_two_hundred(), stored, next, minutes{1}));
  next.signals[0].short_rate = 300;
  CHECK(status_write_due(spec_of_two_hundred(), stored, next, minutes{1}));
}

TEST_CASE("the heartbeat comes after five minutes") {
  CHECK_FALSE(due_after([](Status&) {}, minutes{5} - seconds{1}));
  CHECK(due_after([](Status&) {}, minutes{5}));
}

TEST_CASE("a patch holds what differs, and the UID") {
  Status next = full_status();
  next.desired_replicas = 9;
  next.last_decision->to = 9;
  next.paused_replicas.reset();
  const auto patch = encode_status_patch("u-1", full_status(), next);
  REQUIRE(patch);
  CHECK(patch->media_type == "application/json-patch+json");
  const Json operations = Json::parse(patch->body);
  CHECK(operations[0] == Json::parse(R"({"op": "test", "path": "/metadata/uid", "value": "u-1"})"));
  CHECK(has_operation(operations, "add", "/status/desiredReplicas"));
  CHECK(has_operation(operations, "add", "/status/lastDecision"));
  CHECK(has_operation(operations, "remove", "/status/pausedReplicas"));
  CHECK(operations.size() == 4);
}

TEST_CASE("a list is replaced whole") {
  Status next = full_status();
  next.signals[0].peak = 1;
  const auto patch = encode_status_patch("u-1", full_status(), next);
  REQUIRE(patch);
  const Json operations = Json::parse(patch->body);
  REQUIRE(operations.size() == 2);
  CHECK(operations[1]["path"] == "/status/signals");
  CHECK(operations[1]["value"] == to_json(next)["signals"]);
}

TEST_CASE("where there is no status yet, it is added whole") {
  const auto patch = encode_status_patch("u-1", Status{}, full_status());
  REQUIRE(patch);
  const Json operations = Json::parse(patch->body);
  REQUIRE(operations.size() == 2);
  CHECK(operations[1]["path"] == "/status");
}

TEST_CASE("applied to what is stored, the patch gives the next status") {
  for (const auto& [from, to] :
       {std::pair{full_status(), Status{}}, std::pair{Status{}, full_status()}}) {
    const Json object = {{"metadata", {{"uid", "u-1"}}}, {"status", to_json(from)}};
    const auto patch = encode_status_patch("u-1", from, to);
    REQUIRE(patch);
    CHECK(object.patch(Json::parse(patch->body))["status"] == to_json(to));
  }
}

TEST_CASE("nothing to say is no patch") {
  CHECK_FALSE(encode_status_patch("u-1", full_status(), full_status()));
}

}  // namespace
}  // namespace scaledcache::k8s
