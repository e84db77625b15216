#include "k8s/event.h"

#include <doctest/doctest.h>

#include "base/rfc3339.h"

namespace scaledcache::k8s {
namespace {

Event scaled_up() {
  Event event;
  event.regarding = {"scaledcache.io/v1alpha1", "ScaledCache", "web", "blog", "u-1"};
  event.reason = "ScaledUp";
  event.action = "Scale";
  event.note = "2 to 8 replicas";
  event.time = *parse_time("2026-01-01T00:00:00.250Z");
  return event;
}

TEST_CASE("an event is written as events.k8s.io/v1 wants it") {
  CHECK(encode_event(scaled_up(), "scaledcache-0") == Json::parse(R"({
    "apiVersion": "events.k8s.io/v1", "kind": "Event",
    "metadata": {"generateName": "blog-", "namespace": "web"},
    "eventTime": "2026-01-01T00:00:00.250000Z",
    "reportingController": "scaledcache.io/controller", "reportingInstance": "scaledcache-0",
    "type": "Normal", "reason": "ScaledUp", "action": "Scale", "note": "2 to 8 replicas",
    "regarding": {"apiVersion": "scaledcache.io/v1alpha1", "kind": "ScaledCache",
                  "namespace": "web", "name": "blog", "uid": "u-1"}
  })"));
}

TEST_CASE("a warning says so") {
  Event event = scaled_up();
  event.warning = true;
  CHECK(encode_event(event, "a")["type"] == "Warning");
}

TEST_CASE("texts that are too long are cut between two characters") {
  Event event = scaled_up();
  event.note = std::string(1023, 'a') + "é";
  event.reason = std::string(200, 'R');
  event.action = std::string(200, 'A');
  const Json body = encode_event(event, std::string(127, 'i') + "é");
  CHECK(body["note"] == std::string(1023, 'a'));
  CHECK(body["reason"] == std::string(128, 'R'));
  CHECK(body["action"] == std::string(128, 'A'));
  CHECK(body["reportingInstance"] == std::string(127, 'i'));
}

}  // namespace
}  // namespace scaledcache::k8s
