#include "controller/gate_facts.h"

#include <doctest/doctest.h>

#include "k8s/gate.h"

namespace scaledcache::controller {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kNow = WallTime{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};

k8s::Pod gated_pod(const std::string& name) {
  k8s::Pod pod;
  pod.name = name;
  pod.name_space = "blog";
  pod.uid = "uid-" + name;
  pod.phase = k8s::PodPhase::Running;
  pod.has_gate = true;
  pod.gated_label = true;
  pod.containers_ready = true;
  pod.containers_ready_since = kNow - 60s;
  pod.pod_ip = "10.0.0.7";
  pod.containers = {{"cache", "containerd://1", kNow - 70s, {8080}},
                    {"exporter", "containerd://2", kNow - 70s, {9131}}};
  pod.resource_version = "50";
  return pod;
}

std::shared_ptr<k8s::ScaledCache> gating_cache() {
  auto cache = std::make_shared<k8s::ScaledCache>();
  cache->meta.name = "blog";
  cache->meta.name_space = "blog";
  cache->spec.warmup.mode = k8s::WarmupMode::Gate;
  cache->spec.warmup.port = 8080;
  return cache;
}

GateSight sight_of(const k8s::Pod& pod, std::shared_ptr<k8s::ScaledCache> cache = gating_cache()) {
  GateSight sight;
  sight.pod = pod;
  sight.scene.cache = std::move(cache);
  sight.scene.fleet = {pod};
  sight.now = kNow;
  return sight;
}

core::WarmthFacts facts_of(const GateSight& sight, const GateRecord& record = {}) {
  return warmth_facts(sight, record, {});
}

TEST_CASE("what may not be dialled is told") {
  k8s::Pod pod = gated_pod("a");
  CHECK(facts_of(sight_of(pod)).address_allowed);
  CHECK(facts_of(sight_of(pod)).port_declared);
  pod.containers[0].ports.clear();
  CHECK_FALSE(facts_of(sight_of(pod)).port_declared);
  for (const char* address : {"", "169.254.169.254", "127.0.0.1", "not an address"}) {
    pod.pod_ip = address;
    CHECK_FALSE(facts_of(sight_of(pod)).address_allowed);
  }
  pod = gated_pod("a");
  pod.host_network = true;
  CHECK_FALSE(facts_of(sight_of(pod)).address_allowed);
  auto cache = gating_cache();
  cache->spec.warmup.allow_host_network = true;
  CHECK(facts_of(sight_of(pod, cache)).address_allowed);
}

TEST_CASE("a pause in any form, and a spec that cannot be obeyed, hold no pod back") {
  const k8s::Pod pod = gated_pod("a");
  CHECK_FALSE(facts_of(sight_of(pod)).paused);
  auto cache = gating_cache();
  cache->pause.paused = true;
  CHECK(facts_of(sight_of(pod, cache)).paused);
  cache = gating_cache();
  cache->pause.replicas = 3;
  CHECK(facts_of(sight_of(pod, cache)).paused);
  cache = gating_cache();
  cache->spec.dry_run = true;
  CHECK(facts_of(sight_of(pod, cache)).paused);
  cache = gating_cache();
  cache->problems.push_back({"spec.warmup.port", "is wrong"});
  CHECK(facts_of(sight_of(pod, cache)).paused);
  CHECK_FALSE(may_be_warmed(sight_of(pod, cache)));
  CHECK(may_be_warmed(sight_of(pod)));
  CHECK_FALSE(facts_of(sight_of(pod, nullptr)).managed);
}

TEST_CASE("the wait counts from the containers, or from when the gate was closed") {
  k8s::Pod pod = gated_pod("a");
  CHECK(cold_since(pod, kNow) == kNow - 60s);
  pod.gate = k8s::GateState{false, "ProbesMissed", "", kNow - 20s};
  CHECK(cold_since(pod, kNow) == kNow - 20s);
  pod.gate->open = true;
  CHECK(cold_since(pod, kNow) == kNow - 60s);
  CHECK(cold_since(pod, kNow - 5min) == kNow - 5min);  // our clock is behind the node's
  pod.containers_ready_since.reset();
  CHECK(cold_since(pod, kNow) == kNow);
  pod.containers_ready = false;
  CHECK_FALSE(cold_since(pod, kNow));
}

TEST_CASE("of the pods that wait, the fullest is the best, and the name decides a tie") {
  GateSight sight = sight_of(gated_pod("b"));
  sight.scene.fleet = {gated_pod("a"), gated_pod("b")};
  CHECK_FALSE(facts_of(sight).best_of_cold);
  sight.records["uid-b"].progress = cache::WarmupProgress{10, 8, 5, 5};
  CHECK(facts_of(sight).best_of_cold);
  sight.records["uid-a"].warmup = core::WarmupFacts{};
  sight.records["uid-a"].warmup->hit_percent = 80;
  CHECK_FALSE(facts_of(sight).best_of_cold);
  sight.scene.fleet[0].drain = "going";
  CHECK(facts_of(sight).best_of_cold);
}

TEST_CASE("a peer serves, is proven, and is another pod") {
  GateSight sight = sight_of(gated_pod("a"));
  k8s::Pod other = gated_pod("b");
  other.ready = true;
  other.gate = k8s::GateState{true, "CacheWarm", "", kNow};
  other.pod_ip = "10.0.0.8";
  sight.scene.fleet = {gated_pod("a"), other};
  sight.records["uid-a"].state = core::WarmthState::Warm;
  CHECK_FALSE(warm_peer(sight, 0));
  sight.records["uid-b"].state = core::WarmthState::Warm;
  CHECK(warm_peer(sight, 7) == http::parse_address("10.0.0.8"));
  sight.scene.fleet[1].ready = false;
  CHECK_FALSE(warm_peer(sight, 7));
}

TEST_CASE("our own write counts until the watch has caught up with it") {
  const k8s::Pod pod = gated_pod("a");
  const OwnGateWrite newer{"51", {true, "CacheWarm", "", kNow}};
  const OwnGateWrite older{"49", {true, "CacheWarm", "", kNow}};
  CHECK(with_own_write(pod, newer).gate == newer.gate);
  CHECK_FALSE(with_own_write(pod, older).gate);
  CHECK_FALSE(with_own_write(pod, std::nullopt).gate);
}

TEST_CASE("the identity in the condition is what the judge compares") {
  k8s::Pod pod = gated_pod("a");
  pod.gate = k8s::GateState{true, "CacheWarm", k8s::with_identity("proven", "0123abcd"), kNow};
  const auto facts = facts_of(sight_of(pod));
  REQUIRE(facts.gate);
  CHECK(facts.gate->identity == "0123abcd");
  CHECK(facts.gate->open);
}

}  // namespace
}  // namespace scaledcache::controller
