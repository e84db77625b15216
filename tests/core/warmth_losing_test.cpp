// When a gate closes: the cache is gone, or the pod is to go.
#include "core/warmth_rows.h"

namespace scaledcache::core::test {
namespace {

TEST_CASE("a pod that drains is closed, unless nothing else serves") {
  const Change drain = [](auto&, auto& pod) { pod.draining = true; };
  check_rows({
      {"warm", warm_pod(), drain, WarmthState::Draining, GateMove::Closed, WarmthReason::Draining},
      {"closed already", new_pod(), drain, WarmthState::Draining, GateMove::Leave,
       WarmthReason::Draining},
      {"the last one", warm_pod(),
       [](auto&, auto& pod) {
         pod.draining = true;
         pod.other_ready = 0;
       },
       WarmthState::Warm, GateMove::Open, WarmthReason::LastReadyPod},
      {"given up", warm_pod(),
       [](auto&, auto& pod) {
         pod.gate->open = false;
         pod.gate->reason = "Draining";
       },
       WarmthState::Warm, GateMove::Open, WarmthReason::CacheWarm},
      {"given up while the operator was away", warm_pod(),
       [](auto&, auto& pod) {
         pod.gate->open = false;
         pod.gate->reason = "Draining";
         pod.warmup.reset();
       },
       WarmthState::Warm, GateMove::Open, WarmthReason::CacheWarm},
      {"given up after a restart", warm_pod(),
       [](auto&, auto& pod) {
         pod.gate->open = false;
         pod.gate->reason = "Draining";
         pod.warmup.reset();
         pod.identity = "c2";
       },
       WarmthState::Cold, GateMove::Leave, WarmthReason::Waiting},
  });
}

TEST_CASE("a cache that is gone with its container or its process is cold again") {
  const Change restart = [](auto&, auto& pod) { pod.identity = "c2"; };
  const Change young = [](auto&, auto& pod) { pod.cache_started = kNow + 5 * kSecond; };
  check_rows({
      {"another container", warm_pod(), restart, WarmthState::Cold, GateMove::Closed,
       WarmthReason::ContainerRestarted},
      {"another container, told by the gate alone", warm_pod(),
       [](auto&, auto& pod) {
         pod.identity = "c2";
         pod.warmup.reset();
       },
       WarmthState::Cold, GateMove::Closed, WarmthReason::ContainerRestarted},
      {"another container, told by the warm-up alone", warm_pod(),
       [](auto&, auto& pod) {
         pod.identity = "c2";
         pod.gate->identity.clear();
       },
       WarmthState::Cold, GateMove::Closed, WarmthReason::ContainerRestarted},
      {"another container in a pod that was opened unproven", warm_pod(),
       [](auto&, auto& pod) {
         pod.identity = "c2";
         pod.warmup.reset();
         pod.gate = open_gate(WarmthReason::WarmupTimeout);
       },
       WarmthState::Cold, GateMove::Closed, WarmthReason::ContainerRestarted},
      {"a younger process", warm_pod(), young, WarmthState::Cold, GateMove::Closed,
       WarmthReason::CacheRestarted},
      {"a younger process, told by the gate alone", warm_pod(),
       [](auto&, auto& pod) {
         pod.warmup.reset();
         pod.cache_started = kNow - 54 * kSecond;
       },
       WarmthState::Cold, GateMove::Closed, WarmthReason::CacheRestarted},
      {"a process as old as clocks allow", warm_pod(),
       [](auto&, auto& pod) { pod.cache_started = kNow + 4 * kSecond; }, WarmthState::Warm,
       GateMove::Leave, WarmthReason::CacheWarm},
      {"the same process, seen by the gate alone", warm_pod(),
       [](auto&, auto& pod) {
         pod.warmup.reset();
         pod.cache_started = kNow - 56 * kSecond;
       },
       WarmthState::Warm, GateMove::Leave, WarmthReason::CacheWarm},
      {"while nothing else serves", warm_pod(),
       [](auto&, auto& pod) {
         pod.identity = "c2";
         pod.other_ready = 0;
       },
       WarmthState::Cold, GateMove::Open, WarmthReason::LastReadyPod},
      {"while nothing else serves, and that is written", warm_pod(),
       [](auto&, auto& pod) {
         pod.identity = "c2";
         pod.other_ready = 0;
         pod.gate = open_gate(WarmthReason::LastReadyPod);
       },
       WarmthState::Cold, GateMove::Leave, WarmthReason::LastReadyPod},
      {"while the pod is unready by itself", warm_pod(),
       [](auto&, auto& pod) {
         pod.identity = "c2";
         pod.other_ready = 0;
         pod.ready = false;
       },
       WarmthState::Cold, GateMove::Closed, WarmthReason::ContainerRestarted},
  });
}

TEST_CASE("three probes in a row that miss make a pod cold, two do not") {
  check_rows({
      {"three", warm_pod(), [](auto&, auto& pod) { pod.misses_in_a_row = 3; }, WarmthState::Cold,
       GateMove::Closed, WarmthReason::ProbesMissed},
      {"two", warm_pod(), [](auto&, auto& pod) { pod.misses_in_a_row = 2; }, WarmthState::Warm,
       GateMove::Leave, WarmthReason::CacheWarm},
      {"three, of a pod that was never warm", new_pod(),
       [](auto&, auto& pod) { pod.misses_in_a_row = 3; }, WarmthState::Cold, GateMove::Leave,
       WarmthReason::Waiting},
  });
}

TEST_CASE("what is lost is to be forgotten, and proven again") {
  for (const char* name : {"container", "probes"}) {
    CAPTURE(name);
    WarmthFacts pod = warm_pod();
    if (name == std::string("container")) {
      pod.identity = "c2";
    } else {
      pod.misses_in_a_row = 3;
    }
    const WarmthVerdict verdict = judge_warmth(gating(), pod, kNow);
    CHECK(verdict.cold_again);
    CHECK(verdict.wants_warmup);
    pod.draining = true;
    CHECK(judge_warmth(gating(), pod, kNow).cold_again);
  }
  CHECK(!judge_warmth(gating(), warm_pod(), kNow).cold_again);
  CHECK(!judge_warmth(gating(), warm_pod(), kNow).wants_warmup);
}

TEST_CASE("a pod of which nothing but a lasting gate tells that it is the last goes on as it is") {
  // The transition time of the condition does not move while it stays True.
  WarmthFacts pod = warm_pod();
  pod.warmup.reset();
  pod.other_ready = 0;
  pod.gate = open_gate(WarmthReason::LastReadyPod);
  pod.cache_started = kNow;
  const WarmthVerdict verdict = judge_warmth(gating(), pod, kNow);
  CHECK(!verdict.cold_again);
  CHECK(verdict.gate == GateMove::Leave);
  CHECK(verdict.wants_warmup);
}

}  // namespace
}  // namespace scaledcache::core::test
