#include "controller/fleet_warmth.h"

#include <doctest/doctest.h>

namespace scaledcache::controller {
namespace {

using namespace std::chrono_literals;
using core::WarmthReason;
using core::WarmthState;

constexpr WallTime kNow = WallTime{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};

// A fleet of gated pods, and what the gate knows of them.
struct Fleet {
  k8s::ScaledCache cache;
  std::vector<k8s::Pod> pods;
  std::map<std::string, GateRecord> records;

  k8s::Pod& add(const std::string& name, WarmthState state, WarmthReason reason) {
    k8s::Pod pod;
    pod.name = name;
    pod.uid = "uid-" + name;
    pod.phase = k8s::PodPhase::Running;
    pod.has_gate = true;
    pod.gated_label = true;
    pod.ready = state == WarmthState::Warm;
    pod.gate = k8s::GateState{pod.ready, "", "", {}};
    GateRecord& record = records[pod.uid];
    record.state = state;
    record.reason = reason;
    record.cold_since = kNow - 10s;
    pods.push_back(pod);
    return pods.back();
  }

  [[nodiscard]] FleetWarmth survey() const { return survey_fleet(cache, pods, records, kNow); }
};

TEST_CASE("all pods that serve and are proven make the fleet warm") {
  Fleet fleet;
  fleet.add("a", WarmthState::Warm, WarmthReason::CacheWarm);
  fleet.add("b", WarmthState::Warm, WarmthReason::CacheWarm);
  const FleetWarmth warmth = fleet.survey();
  CHECK(warmth.warm == 2);
  CHECK(warmth.cold_since.empty());
  CHECK(warmth.condition.status == k8s::ConditionStatus::True);
  CHECK(warmth.condition.reason == "AllWarm");
  CHECK(warmth.condition.message == "2 of 2 pods warm");
}

TEST_CASE("a warm pod whose gate the kubelet has yet to heed does not serve") {
  Fleet fleet;
  fleet.add("a", WarmthState::Warm, WarmthReason::CacheWarm).ready = false;
  CHECK(fleet.survey().warm == 0);
}

TEST_CASE("pods that are filled, or wait for it, hold a shrink up; those let in unproven do not") {
  Fleet fleet;
  fleet.add("waits", WarmthState::Cold, WarmthReason::Waiting);
  fleet.add("fills", WarmthState::Warming, WarmthReason::Warming);
  k8s::Pod& open = fleet.add("open", WarmthState::Cold, WarmthReason::Waiting);
  open.ready = true;
  open.gate->open = true;
  const FleetWarmth warmth = fleet.survey();
  CHECK(warmth.cold_since ==
        std::map<std::string, WallTime>{{"uid-fills", kNow - 10s}, {"uid-waits", kNow - 10s}});
  CHECK(warmth.condition.reason == "Warming");
}

TEST_CASE("the gravest trouble is named") {
  struct Row {
    const char* name;
    WarmthReason reason;
    const char* want;
  };

  for (const Row& row : {Row{"port", WarmthReason::PortNotDeclared, "PortNotDeclared"},
                         Row{"address", WarmthReason::AddressNotAllowed, "AddressNotAllowed"},
                         Row{"origin", WarmthReason::OriginFailing, "OriginFailing"},
                         Row{"list", WarmthReason::UncacheableList, "UncacheableList"},
                         Row{"time", WarmthReason::WarmupTimeout, "WarmupTimeout"},
                         Row{"overload", WarmthReason::PanicOpen, "PanicOpen"}}) {
    SUBCASE(row.name) {
      Fleet fleet;
      fleet.add("warms", WarmthState::Warming, WarmthReason::Warming);
      fleet.add("a", WarmthState::Cold, row.reason);
      const FleetWarmth warmth = fleet.survey();
      CHECK(warmth.condition.status == k8s::ConditionStatus::False);
      CHECK(warmth.condition.reason == row.want);
    }
  }
}

TEST_CASE("pods without the gate, or without its label, are reported") {
  Fleet fleet;
  fleet.add("a", WarmthState::Warm, WarmthReason::CacheWarm);
  fleet.records["uid-a"].lacks_label = true;
  CHECK(fleet.survey().condition.reason == "GateWithoutLabel");
  fleet.add("b", WarmthState::Cold, WarmthReason::Ungated).has_gate = false;
  const FleetWarmth warmth = fleet.survey();
  CHECK(warmth.condition.reason == "UngatedPods");
  CHECK(warmth.states.at(WarmthState::Ungated) == 1);
  CHECK(warmth.pods[0].state == "Ungated");
}

TEST_CASE("a pod that is being drained is neither warm nor in the way") {
  Fleet fleet;
  fleet.add("a", WarmthState::Warm, WarmthReason::CacheWarm);
  fleet.add("b", WarmthState::Cold, WarmthReason::Waiting).drain = "2026-01-01T00:00:00Z";
  const FleetWarmth warmth = fleet.survey();
  CHECK(warmth.states.at(WarmthState::Draining) == 1);
  CHECK(warmth.cold_since.empty());
  CHECK(warmth.condition.reason == "AllWarm");
}

TEST_CASE("pods are told worst first, with how far they are; those on their way out are not") {
  Fleet fleet;
  fleet.add("warm", WarmthState::Warm, WarmthReason::CacheWarm);
  fleet.add("fills", WarmthState::Warming, WarmthReason::Warming);
  fleet.add("cold", WarmthState::Cold, WarmthReason::Waiting);
  fleet.add("gone", WarmthState::Warm, WarmthReason::CacheWarm).deleted = kNow;
  fleet.records["uid-fills"].progress = cache::WarmupProgress{60, 40, 20, 15};
  fleet.records["uid-warm"].warm_since = kNow - 7s;
  const auto pods = fleet.survey().pods;
  REQUIRE(pods.size() == 3);
  CHECK(pods[0].name == "cold");
  CHECK(pods[0].seconds == 10);
  CHECK(pods[1].name == "fills");
  CHECK(pods[1].hit_percent == 25);
  CHECK(pods[1].message == "40 of 60 URLs fetched, 15 proven");
  CHECK(pods[2].name == "warm");
  CHECK(pods[2].seconds == 3);
}

}  // namespace
}  // namespace scaledcache::controller
