#include "k8s/status.h"

#include <limits>

#include <doctest/doctest.h>

#include "k8s/status_samples.h"

namespace scaledcache::k8s {
namespace {

TEST_CASE("a status is read back as it was written, to the millisecond") {
  CHECK(status_from_json(to_json(full_status())) == full_status());
}

TEST_CASE("an empty status is an empty object") {
  CHECK(to_json(Status{}) == Json::object());
  CHECK(status_from_json(Json::object()) == Status{});
}

TEST_CASE("each field of a wrong type reads as absent and spoils no other") {
  const Json whole = to_json(full_status());
  for (const auto& field : whole.items()) {
    const std::string& key = field.key();
    for (const Json& wrong : {Json(nullptr), Json(true), Json("x"), Json(-1), Json::array({1}),
                              Json{{"x", 1}}, Json(1e300)}) {
      CAPTURE(key);
      CAPTURE(dump_json(wrong));
      Json object = whole;
      object[key] = wrong;
      Json again = to_json(status_from_json(object));
      again.erase(key);
      Json rest = whole;
      rest.erase(key);
      if (key == "lastDecision" || key == "conditions") {
        again.erase("reason");  // follows from these two
        rest.erase("reason");
      }
      CHECK(again == rest);
    }
  }
}

TEST_CASE("measured values are short, what a restart needs is not rounded away") {
  Status status;
  status.signals.resize(1);
  status.signals[0].name = "requests";
  status.signals[0].short_rate = 2299.4833333333331;
  status.signals[0].per_replica = 45.289999999999999;
  status.signals[0].peak = 2299.4833333333331;
  const Json signal = to_json(status)["signals"][0];
  CHECK(signal["short"] == 2299);
  CHECK(signal["perReplica"] == 45.3);
  CHECK(signal["peak"] == 2299.483333);
}

TEST_CASE("numbers that JSON cannot hold are left out") {
  Status status = full_status();
  status.signals[0].short_rate = std::numeric_limits<double>::quiet_NaN();
  status.signals[0].peak = std::numeric_limits<double>::infinity();
  const Json signal = to_json(status)["signals"][0];
  CHECK_FALSE(signal.contains("short"));
  CHECK_FALSE(signal.contains("peak"));
}

TEST_CASE("no text is longer than the schema takes") {
  Status status = full_status();
  status.last_decision->message = std::string(5000, 'x');
  status.last_change->by = std::string(500, 'x');
  status.selector = std::string(5000, 'x');
  status.conditions[0].message = std::string(5000, 'x');
  status.pods[0].message = std::string(5000, 'x');
  const Json object = to_json(status);
  CHECK(object["lastDecision"]["message"].get<std::string>().size() == 1024);
  CHECK(object["lastChange"]["by"].get<std::string>().size() == 128);
  CHECK_FALSE(object.contains("selector"));
  CHECK(object["pods"][0]["message"].get<std::string>().size() == 256);
  CHECK(object["conditions"][0]["message"].get<std::string>().size() == 1024);
}

TEST_CASE("the reason of a column is Ready's while that is False, else the decision's") {
  Status status = full_status();
  CHECK(to_json(status)["reason"] == "Grow");
  const WallTime now = at("2026-01-01T00:00:00Z");
  set_condition(status.conditions, {"Ready", ConditionStatus::True, "AsExpected", ""}, 1, now);
  CHECK(to_json(status)["reason"] == "Grow");
  set_condition(status.conditions, {"Ready", ConditionStatus::False, "TargetNotFound", ""}, 1, now);
  CHECK(to_json(status)["reason"] == "TargetNotFound");
}

}  // namespace
}  // namespace scaledcache::k8s
