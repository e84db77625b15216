#include "controller/status_report.h"

#include <string>

#include <doctest/doctest.h>

namespace scaledcache::controller {
namespace {

constexpr WallTime kNow{std::chrono::seconds{1'800'000'000}};

// Pods s-0, s-2 and s-10 of a gated StatefulSet, all of them warm.
struct World {
  k8s::ScaledCache cache;
  Gathered gathered;
  core::Decision decision;

  World() {
    gathered.target.ordered_ready = true;
    for (const char* name : {"s-10", "s-2", "s-0"}) {
      k8s::Pod pod;
      pod.name = name;
      pod.phase = k8s::PodPhase::Running;
      pod.ready = true;
      gathered.target.pods.push_back(pod);
    }
    gathered.warmth.emplace();
    gathered.warmth->condition = {"Warm", k8s::ConditionStatus::True, "AllWarm", ""};
  }

  [[nodiscard]] k8s::Condition warm() const {
    const k8s::Status status = report_look({}, Look{cache, gathered, decision, "", kNow});
    const k8s::Condition* condition = k8s::find_condition(status.conditions, "Warm");
    return condition == nullptr ? k8s::Condition{} : *condition;
  }
};

TEST_CASE("in order, a pod that is not ready holds up all others, and the lowest is named") {
  World world;
  CHECK(world.warm().reason == "AllWarm");
  world.gathered.target.pods[0].ready = false;
  world.gathered.target.pods[1].ready = false;
  world.gathered.warmth->condition = {"Warm", k8s::ConditionStatus::False, "Warming", ""};
  CHECK(world.warm().reason == "OrderedReady");
  CHECK(world.warm().message.find("s-2 is not ready") != std::string::npos);
  SUBCASE("a graver trouble is named first") {
    world.gathered.warmth->condition.reason = "OriginFailing";
    CHECK(world.warm().reason == "OriginFailing");
  }
  SUBCASE("pods that come and go side by side hold up nobody") {
    world.gathered.target.ordered_ready = false;
    CHECK(world.warm().reason == "Warming");
  }
}

TEST_CASE("a pod that is drained is not ready on purpose") {
  World world;
  world.gathered.target.pods[0].ready = false;
  world.gathered.target.pods[0].drain = "web/CacheWarm";
  CHECK(world.warm().reason == "AllWarm");
}

}  // namespace
}  // namespace scaledcache::controller
