#include "core/warmth.h"

#include <set>

#include "core/warmth_rows.h"

namespace scaledcache::core::test {
namespace {

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

TEST_CASE("a pod that serves unproven is asked less and less, one that waits is not") {
  WarmthFacts pod = new_pod();
  pod.warmup = warmed(10);
  pod.warmup->ended = kNow;
  pod.warmup->attempts = 3;
  CHECK(judge_warmth(gating(), pod, kNow).look_again_after == kWarmupPause);
  pod.gate = open_gate(WarmthReason::WarmupTimeout);
  CHECK(judge_warmth(gating(), pod, kNow).look_again_after == 4 * kWarmupPause);
  pod.warmup->attempts = 1'000'000;
  CHECK(judge_warmth(gating(), pod, kNow).look_again_after == kLongestWarmupPause);
  CHECK(judge_warmth(gating(), pod, kNow + kLongestWarmupPause).wants_warmup);
}

}  // namespace
}  // namespace scaledcache::core::test
