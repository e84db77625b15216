// When a gate opens that no proof has opened.
#include "core/warmth_rows.h"

namespace scaledcache::core::test {
namespace {

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

}  // namespace
}  // namespace scaledcache::core::test
