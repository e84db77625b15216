#include "core/warmth.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace scaledcache::core::test {
namespace {

using Change = std::function<void(WarmthPolicy&, WarmthFacts&)>;

const WallTime kNow{std::chrono::sys_days{std::chrono::year{2026} / 5 / 4}};
constexpr Milliseconds kSecond{1'000};

WarmthPolicy gating() {
  return {.gates = true};
}

// A pod whose containers have been ready for three seconds, in a fleet of three that serve.
WarmthFacts new_pod() {
  WarmthFacts facts;
  facts.has_gate = true;
  facts.gated_label = true;
  facts.containers_ready = true;
  facts.identity = "c1";
  facts.cold_since = kNow - 3 * kSecond;
  facts.other_ready = 3;
  return facts;
}

WarmupFacts warmed(int hit_percent) {
  return {.identity = "c1",
          .ended = kNow - kSecond,
          .finished = true,
          .urls = 60,
          .cacheable = 50,
          .hit_percent = hit_percent};
}

GateFacts open_gate(WarmthReason reason) {
  return {.open = true,
          .reason = std::string(name_of(reason)),
          .identity = "c1",
          .since = kNow - 60 * kSecond};
}

// Proven by a warm-up of ours, open and serving.
WarmthFacts warm_pod() {
  WarmthFacts facts = new_pod();
  facts.ready = true;
  facts.warmup = warmed(97);
  facts.gate = open_gate(WarmthReason::CacheWarm);
  return facts;
}

struct Row {
  const char* name;
  WarmthFacts facts;
  Change change;
  WarmthState state;
  GateMove gate;
  WarmthReason reason;
};

void check_rows(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      WarmthPolicy policy = gating();
      WarmthFacts facts = row.facts;
      row.change(policy, facts);
      const WarmthVerdict verdict = judge_warmth(policy, facts, kNow);
      CHECK(name_of(verdict.state) == name_of(row.state));
      CHECK(name_of(verdict.gate) == name_of(row.gate));
      CHECK(name_of(verdict.reason) == name_of(row.reason));
      CHECK(!verdict.message.empty());
    }
  }
}

TEST_CASE("a pod without the gate, or on its way out, is not touched") {
  check_rows({
      {"no gate", new_pod(), [](auto&, auto& pod) { pod.has_gate = false; }, WarmthState::Ungated,
       GateMove::Leave, WarmthReason::Ungated},
      {"terminating", warm_pod(), [](auto&, auto& pod) { pod.terminating = true; },
       WarmthState::Warm, GateMove::Leave, WarmthReason::Terminating},
      {"terminating, and nobody's", new_pod(),
       [](auto&, auto& pod) {
         pod.terminating = true;
         pod.managed = false;
       },
       WarmthState::Cold, GateMove::Leave, WarmthReason::Terminating},
  });
}

TEST_CASE("no gate opens before the containers are ready") {
  const Change unready = [](auto&, auto& pod) { pod.containers_ready = false; };
  check_rows({
      {"unmanaged", new_pod(),
       [&](auto& policy, auto& pod) {
         unready(policy, pod);
         pod.managed = false;
       },
       WarmthState::Cold, GateMove::Leave, WarmthReason::NotManaged},
      {"proven", new_pod(),
       [&](auto& policy, auto& pod) {
         unready(policy, pod);
         pod.warmup = warmed(97);
       },
       WarmthState::Warm, GateMove::Leave, WarmthReason::ContainersNotReady},
      {"not yet warmed", new_pod(), unready, WarmthState::Cold, GateMove::Leave,
       WarmthReason::ContainersNotReady},
      {"first pod, overloaded, out of time", new_pod(),
       [&](auto& policy, auto& pod) {
         unready(policy, pod);
         pod.other_ready = 0;
         pod.overloaded = pod.best_of_cold = true;
         pod.cold_since = kNow - 3'600 * kSecond;
       },
       WarmthState::Cold, GateMove::Leave, WarmthReason::ContainersNotReady},
  });
}

TEST_CASE(
    "unmanaged, paused and with gating off every gate opens, and open ones keep their reason") {
  check_rows({
      {"no ScaledCache", new_pod(), [](auto&, auto& pod) { pod.managed = false; },
       WarmthState::Cold, GateMove::Open, WarmthReason::NotManaged},
      {"paused", new_pod(), [](auto&, auto& pod) { pod.paused = true; }, WarmthState::Cold,
       GateMove::Open, WarmthReason::Paused},
      {"mode Off", new_pod(), [](auto& policy, auto&) { policy.gates = false; }, WarmthState::Cold,
       GateMove::Open, WarmthReason::GateOff},
      {"paused while draining", new_pod(),
       [](auto&, auto& pod) {
         pod.paused = true;
         pod.draining = true;
       },
       WarmthState::Cold, GateMove::Open, WarmthReason::Paused},
      {"open already", warm_pod(), [](auto&, auto& pod) { pod.managed = false; }, WarmthState::Warm,
       GateMove::Leave, WarmthReason::NotManaged},
      {"open, and cold again", warm_pod(),
       [](auto&, auto& pod) {
         pod.paused = true;
         pod.identity = "c2";
       },
       WarmthState::Cold, GateMove::Leave, WarmthReason::Paused},
  });
}

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

TEST_CASE("a proof opens the gate, and no other finding does") {
  check_rows({
      {"enough", new_pod(), [](auto&, auto& pod) { pod.warmup = warmed(90); }, WarmthState::Warm,
       GateMove::Open, WarmthReason::CacheWarm},
      {"too little", new_pod(), [](auto&, auto& pod) { pod.warmup = warmed(89); },
       WarmthState::Cold, GateMove::Leave, WarmthReason::BelowMinHitPercent},
      {"not finished", new_pod(),
       [](auto&, auto& pod) {
         pod.warmup = warmed(97);
         pod.warmup->finished = false;
       },
       WarmthState::Cold, GateMove::Leave, WarmthReason::Waiting},
      {"of other containers", new_pod(),
       [](auto&, auto& pod) {
         pod.warmup = warmed(97);
         pod.warmup->identity = "c0";
       },
       WarmthState::Cold, GateMove::Leave, WarmthReason::ContainerRestarted},
      {"after it was opened for another reason", warm_pod(),
       [](auto&, auto& pod) { pod.gate = open_gate(WarmthReason::PanicOpen); }, WarmthState::Warm,
       GateMove::Open, WarmthReason::CacheWarm},
      {"before the operator started", warm_pod(), [](auto&, auto& pod) { pod.warmup.reset(); },
       WarmthState::Warm, GateMove::Leave, WarmthReason::CacheWarm},
  });
}

TEST_CASE("a pod that was proven before the operator started is asked again, to learn its pages") {
  WarmthFacts pod = warm_pod();
  pod.warmup.reset();
  CHECK(judge_warmth(gating(), pod, kNow).wants_warmup);
  pod.port_declared = false;
  CHECK(!judge_warmth(gating(), pod, kNow).wants_warmup);
}

TEST_CASE("a closed pod says what it waits for") {
  const auto ended = [](Change more) {
    return [more](WarmthPolicy& policy, WarmthFacts& pod) {
      pod.warmup = WarmupFacts{.identity = "c1", .ended = kNow - kSecond};
      more(policy, pod);
    };
  };
  check_rows({
      {"its turn", new_pod(), [](auto&, auto&) {}, WarmthState::Cold, GateMove::Leave,
       WarmthReason::Waiting},
      {"its warm-up", new_pod(), [](auto&, auto& pod) { pod.warmup_running = true; },
       WarmthState::Warming, GateMove::Leave, WarmthReason::Warming},
      {"the origin", new_pod(), ended([](auto&, auto& pod) { pod.warmup->origin_failing = true; }),
       WarmthState::Cold, GateMove::Leave, WarmthReason::OriginFailing},
      {"an answer", new_pod(), ended([](auto&, auto& pod) { pod.warmup->no_answer = true; }),
       WarmthState::Cold, GateMove::Leave, WarmthReason::NoAnswer},
      {"for ever, where the user holds a pod that cannot be asked", new_pod(),
       [](auto& policy, auto& pod) {
         policy.on_timeout = OnTimeout::Hold;
         pod.port_declared = false;
       },
       WarmthState::Cold, GateMove::Leave, WarmthReason::PortNotDeclared},
  });
}

TEST_CASE("a pod that cannot be asked, or has nothing to cache, is opened") {
  check_rows({
      {"port not declared", new_pod(), [](auto&, auto& pod) { pod.port_declared = false; },
       WarmthState::Cold, GateMove::Open, WarmthReason::PortNotDeclared},
      {"host network", new_pod(), [](auto&, auto& pod) { pod.address_allowed = false; },
       WarmthState::Cold, GateMove::Open, WarmthReason::AddressNotAllowed},
      {"nothing can be cached", new_pod(),
       [](auto&, auto& pod) {
         pod.warmup = warmed(0);
         pod.warmup->cacheable = 0;
       },
       WarmthState::Cold, GateMove::Open, WarmthReason::UncacheableList},
      {"nothing can be cached, and the user holds", new_pod(),
       [](auto& policy, auto& pod) {
         policy.on_timeout = OnTimeout::Hold;
         pod.warmup = warmed(0);
         pod.warmup->cacheable = 0;
       },
       WarmthState::Cold, GateMove::Open, WarmthReason::UncacheableList},
  });
}

TEST_CASE("why a gate is open goes on to be said until there is a proof") {
  const auto opened_for = [](WarmthReason reason) {
    return [reason](auto&, auto& pod) { pod.gate = open_gate(reason); };
  };
  check_rows({
      {"first pod", new_pod(), opened_for(WarmthReason::FirstPods), WarmthState::Cold,
       GateMove::Leave, WarmthReason::FirstPods},
      {"panic", new_pod(), opened_for(WarmthReason::PanicOpen), WarmthState::Cold, GateMove::Leave,
       WarmthReason::PanicOpen},
      {"pause, which is over", new_pod(), opened_for(WarmthReason::Paused), WarmthState::Cold,
       GateMove::Leave, WarmthReason::Waiting},
      {"port", new_pod(),
       [](auto&, auto& pod) {
         pod.port_declared = false;
         pod.gate = open_gate(WarmthReason::PortNotDeclared);
       },
       WarmthState::Cold, GateMove::Leave, WarmthReason::PortNotDeclared},
      {"list", new_pod(),
       [](auto&, auto& pod) {
         pod.warmup = warmed(0);
         pod.warmup->cacheable = 0;
         pod.gate = open_gate(WarmthReason::UncacheableList);
       },
       WarmthState::Cold, GateMove::Leave, WarmthReason::UncacheableList},
  });
}

TEST_CASE("the first pods of a fleet open after a short try, an overloaded fleet opens the best") {
  const Change first = [](auto&, auto& pod) {
    pod.other_ready = 0;
    pod.cold_since = kNow - kBestEffort;
  };
  check_rows({
      {"first pod", new_pod(), first, WarmthState::Cold, GateMove::Open, WarmthReason::FirstPods},
      {"first pod, still being filled", new_pod(),
       [&](auto& policy, auto& pod) {
         first(policy, pod);
         pod.warmup_running = true;
       },
       WarmthState::Warming, GateMove::Open, WarmthReason::FirstPods},
      {"first pod, a moment before", new_pod(), [](auto&, auto& pod) { pod.other_ready = 0; },
       WarmthState::Cold, GateMove::Leave, WarmthReason::Waiting},
      {"first pod, and the user holds", new_pod(),
       [&](auto& policy, auto& pod) {
         first(policy, pod);
         policy.on_timeout = OnTimeout::Hold;
       },
       WarmthState::Cold, GateMove::Open, WarmthReason::FirstPods},
      {"overloaded", new_pod(), [](auto&, auto& pod) { pod.overloaded = pod.best_of_cold = true; },
       WarmthState::Cold, GateMove::Open, WarmthReason::PanicOpen},
      {"overloaded, but others are warmer", new_pod(),
       [](auto&, auto& pod) { pod.overloaded = true; }, WarmthState::Cold, GateMove::Leave,
       WarmthReason::Waiting},
      {"the best, but nothing is overloaded", new_pod(),
       [](auto&, auto& pod) { pod.best_of_cold = true; }, WarmthState::Cold, GateMove::Leave,
       WarmthReason::Waiting},
  });
}

TEST_CASE("out of time a pod opens, or is held where the user says so") {
  const Change late = [](auto&, auto& pod) { pod.cold_since = kNow - 120 * kSecond; };
  check_rows({
      {"open", new_pod(), late, WarmthState::Cold, GateMove::Open, WarmthReason::WarmupTimeout},
      {"hold", new_pod(),
       [&](auto& policy, auto& pod) {
         late(policy, pod);
         policy.on_timeout = OnTimeout::Hold;
       },
       WarmthState::Cold, GateMove::Leave, WarmthReason::WarmupTimeout},
      {"a moment before", new_pod(),
       [](auto&, auto& pod) { pod.cold_since = kNow - 120 * kSecond + Milliseconds{1}; },
       WarmthState::Cold, GateMove::Leave, WarmthReason::Waiting},
      {"opened, it stays open", new_pod(),
       [&](auto& policy, auto& pod) {
         late(policy, pod);
         pod.gate = open_gate(WarmthReason::WarmupTimeout);
       },
       WarmthState::Cold, GateMove::Leave, WarmthReason::WarmupTimeout},
  });
}

TEST_CASE("the verdict tells when time alone will change it") {
  WarmthFacts pod = new_pod();
  pod.warmup_running = true;
  CHECK(judge_warmth(gating(), pod, kNow).look_again_after == 117 * kSecond);
  pod.other_ready = 0;
  CHECK(judge_warmth(gating(), pod, kNow).look_again_after == 2 * kSecond);
  CHECK(!judge_warmth(gating(), warm_pod(), kNow).look_again_after);
}

TEST_CASE("a warm-up that proved nothing is repeated after a pause") {
  WarmthFacts pod = new_pod();
  CHECK(judge_warmth(gating(), pod, kNow).wants_warmup);
  pod.warmup = warmed(10);
  const WarmthVerdict resting = judge_warmth(gating(), pod, kNow);
  CHECK(!resting.wants_warmup);
  CHECK(resting.look_again_after == kWarmupPause - kSecond);
  CHECK(judge_warmth(gating(), pod, kNow + kWarmupPause).wants_warmup);
  pod.warmup_running = true;
  CHECK(!judge_warmth(gating(), pod, kNow + kWarmupPause).wants_warmup);
}

TEST_CASE("a gate without the label that lets it be found is reported, and treated as any") {
  WarmthFacts pod = new_pod();
  pod.gated_label = false;
  pod.warmup = warmed(97);
  const WarmthVerdict verdict = judge_warmth(gating(), pod, kNow);
  CHECK(verdict.lacks_label);
  CHECK(verdict.gate == GateMove::Open);
  pod.has_gate = false;
  CHECK(!judge_warmth(gating(), pod, kNow).lacks_label);
  CHECK(!judge_warmth(gating(), new_pod(), kNow).lacks_label);
}

TEST_CASE("what stopped a warm-up is in the message") {
  WarmthFacts pod = new_pod();
  pod.warmup = WarmupFacts{.identity = "c1",
                           .ended = kNow,
                           .no_answer = true,
                           .trouble = "the certificate is refused: hostname mismatch"};
  CHECK(judge_warmth(gating(), pod, kNow).message ==
        "nobody answers the warm-up: the certificate is refused: hostname mismatch");
}

TEST_CASE("the same facts a minute later make the same message while the gate is open") {
  const WarmthFacts pod = warm_pod();
  CHECK(judge_warmth(gating(), pod, kNow).message ==
        judge_warmth(gating(), pod, kNow + 60 * kSecond).message);
}

TEST_CASE("each reason has a name of its own") {
  std::set<std::string_view> names;
  for (const WarmthReason reason : kAllWarmthReasons) {
    names.insert(name_of(reason));
  }
  CHECK(names.size() == kAllWarmthReasons.size());
  CHECK(name_of(WarmthReason::Terminating) == "Terminating");
  CHECK(name_of(WarmthReason::LastReadyPod) == "LastReadyPod");
}

}  // namespace
}  // namespace scaledcache::core::test
