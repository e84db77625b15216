#include "core/warmth.h"

#include <algorithm>

#include "core/warmth_words.h"

namespace scaledcache::core {
namespace {

// The gate itself says that the cache was proven: for a start of the operator, which has forgotten.
// A pod that was chosen to go was open before.
bool gate_vouches(const WarmthFacts& facts) {
  if (!facts.gate) {
    return false;
  }
  const bool same = facts.gate->identity == facts.identity;
  return facts.gate->open ? facts.gate->reason == name_of(WarmthReason::CacheWarm)
                          : same && facts.gate->reason == name_of(WarmthReason::Draining);
}

// Why the cache that was proven is not there any more; nothing where it may be.
std::optional<WarmthReason> lost_by(const WarmthFacts& facts) {
  const std::optional<GateFacts>& gate = facts.gate;
  const bool open = gate && gate->open;
  if (open && !gate->identity.empty() && gate->identity != facts.identity) {
    return WarmthReason::ContainerRestarted;
  }
  if (facts.warmup && facts.warmup->finished && facts.warmup->identity != facts.identity) {
    return WarmthReason::ContainerRestarted;
  }
  // What the proof is older than: the warm-up's end, or the opening of the gate.
  std::optional<WallTime> proven;
  if (facts.warmup && facts.warmup->finished) {
    proven = facts.warmup->ended;
  } else if (gate_vouches(facts)) {
    proven = gate->since;
  }
  if (proven && facts.cache_started && *facts.cache_started > *proven + kUptimeSlack) {
    return WarmthReason::CacheRestarted;
  }
  if ((proven || open) && facts.misses_in_a_row >= kMissesInARow) {
    return WarmthReason::ProbesMissed;
  }
  return std::nullopt;
}

bool reached(const WarmthPolicy& policy, const WarmupFacts& warmup) {
  return warmup.finished && warmup.cacheable > 0 && warmup.hit_percent >= policy.min_hit_percent;
}

// Proven by a warm-up that we saw, or, after a restart of ours, by what the gate says.
bool is_proven(const WarmthPolicy& policy, const WarmthFacts& facts) {
  if (facts.warmup && reached(policy, *facts.warmup)) {
    return true;
  }
  return gate_vouches(facts);
}

// For a pod that is not proven: what keeps it.
WarmthReason why_not_yet(const WarmthPolicy& policy, const WarmthFacts& facts) {
  if (facts.warmup_running) {
    return WarmthReason::Warming;
  }
  if (!facts.warmup) {
    return WarmthReason::Waiting;
  }
  if (facts.warmup->origin_failing) {
    return WarmthReason::OriginFailing;
  }
  if (facts.warmup->no_answer) {
    return WarmthReason::NoAnswer;
  }
  const bool too_little = facts.warmup->finished && !reached(policy, *facts.warmup);
  return too_little ? WarmthReason::BelowMinHitPercent : WarmthReason::Waiting;
}

// Makes the verdict, so that a rule is one line.
class Judge {
 public:
  Judge(const WarmthPolicy& policy, const WarmthFacts& facts, WallTime now)
      : policy_(policy), facts_(facts), now_(now) {}

  [[nodiscard]] WarmthVerdict verdict() const {
    WarmthVerdict verdict = decide();
    verdict.message = describe(policy_, facts_, verdict.reason);
    verdict.lacks_label = facts_.has_gate && !facts_.gated_label;
    return verdict;
  }

 private:
  [[nodiscard]] WarmthVerdict decide() const {
    if (!facts_.has_gate) {
      return {.state = WarmthState::Ungated, .reason = WarmthReason::Ungated};
    }
    if (facts_.terminating) {
      return {.state = facts_.draining ? WarmthState::Draining : resting_state(),
              .reason = WarmthReason::Terminating};
    }
    if (!facts_.managed) {
      return let_go(WarmthReason::NotManaged);
    }
    if (facts_.paused) {
      return let_go(WarmthReason::Paused);
    }
    if (!policy_.gates) {
      return let_go(WarmthReason::GateOff);
    }
    const std::optional<WarmthReason> lost = lost_by(facts_);
    if (facts_.draining) {
      WarmthVerdict verdict = close(WarmthState::Draining, WarmthReason::Draining);
      verdict.cold_again = lost.has_value();
      return verdict;
    }
    if (lost) {
      WarmthVerdict verdict = close(WarmthState::Cold, *lost);
      verdict.cold_again = true;
      verdict.wants_warmup = facts_.containers_ready && can_be_asked();
      return verdict;
    }
    if (is_proven(policy_, facts_)) {
      WarmthVerdict verdict = open(WarmthState::Warm, WarmthReason::CacheWarm);
      verdict.wants_warmup = !facts_.warmup && facts_.containers_ready && can_be_asked();
      return verdict;
    }
    return judge_unproven();
  }

  // Not proven, and nothing lost that was.
  [[nodiscard]] WarmthVerdict judge_unproven() const {
    WarmthVerdict verdict = judge_opening();
    if (!facts_.containers_ready || !can_be_asked() || facts_.warmup_running || is_list_useless()) {
      return verdict;
    }
    const Milliseconds pause = facts_.warmup
                                   ? facts_.warmup->ended + pause_after(*facts_.warmup) - now_
                                   : Milliseconds::zero();
    verdict.wants_warmup = pause <= Milliseconds::zero();
    if (!verdict.wants_warmup) {
      verdict.look_again_after = std::min(pause, verdict.look_again_after.value_or(pause));
    }
    return verdict;
  }

  // A list that can never be proven must not be asked of the origin over and over.
  [[nodiscard]] Milliseconds pause_after(const WarmupFacts& warmup) const {
    constexpr int kMostDoublings = 6;
    const int doublings = is_open() ? std::clamp(warmup.attempts - 1, 0, kMostDoublings) : 0;
    return std::min(kWarmupPause * (1 << doublings), kLongestWarmupPause);
  }

  [[nodiscard]] WarmthVerdict judge_opening() const {
    const WarmthState state = facts_.warmup_running ? WarmthState::Warming : WarmthState::Cold;
    if (!facts_.containers_ready) {
      return {.state = WarmthState::Cold, .reason = WarmthReason::ContainersNotReady};
    }
    if (is_open()) {
      return {.state = state, .reason = open_reason()};
    }
    const bool holds = policy_.on_timeout == OnTimeout::Hold;
    if (!holds && !facts_.port_declared) {
      return open(state, WarmthReason::PortNotDeclared);
    }
    if (!holds && !facts_.address_allowed) {
      return open(state, WarmthReason::AddressNotAllowed);
    }
    if (is_list_useless()) {
      return open(state, WarmthReason::UncacheableList);
    }
    if (facts_.other_ready == 0 && waited() >= kBestEffort) {
      return open(state, WarmthReason::FirstPods);
    }
    if (facts_.overloaded && facts_.best_of_cold) {
      return open(state, WarmthReason::PanicOpen);
    }
    if (waited() >= policy_.timeout) {
      return holds ? WarmthVerdict{.state = state, .reason = WarmthReason::WarmupTimeout}
                   : open(state, WarmthReason::WarmupTimeout);
    }
    return {.state = state, .reason = unproven_reason(), .look_again_after = next_deadline()};
  }

  [[nodiscard]] WarmthReason unproven_reason() const {
    if (!facts_.port_declared) {
      return WarmthReason::PortNotDeclared;
    }
    if (!facts_.address_allowed) {
      return WarmthReason::AddressNotAllowed;
    }
    return is_list_useless() ? WarmthReason::UncacheableList : why_not_yet(policy_, facts_);
  }

  // Why a gate is open goes on to be said until a proof takes its place.
  [[nodiscard]] WarmthReason open_reason() const {
    for (const WarmthReason lasting : {WarmthReason::WarmupTimeout, WarmthReason::FirstPods,
                                       WarmthReason::PanicOpen, WarmthReason::LastReadyPod}) {
      if (says(lasting)) {
        return lasting;
      }
    }
    return unproven_reason();
  }

  [[nodiscard]] Milliseconds next_deadline() const {
    Milliseconds next = policy_.timeout - waited();
    if (facts_.other_ready == 0) {
      next = std::min(next, kBestEffort - waited());
    }
    return next;
  }

  [[nodiscard]] Milliseconds waited() const {
    return facts_.cold_since ? std::max(now_ - *facts_.cold_since, Milliseconds::zero())
                             : Milliseconds::zero();
  }

  [[nodiscard]] bool is_open() const { return facts_.gate && facts_.gate->open; }

  [[nodiscard]] bool says(WarmthReason reason) const {
    return facts_.gate && facts_.gate->reason == name_of(reason);
  }

  [[nodiscard]] bool can_be_asked() const { return facts_.port_declared && facts_.address_allowed; }

  [[nodiscard]] bool is_list_useless() const {
    return facts_.warmup && facts_.warmup->finished && facts_.warmup->cacheable == 0 &&
           facts_.warmup->identity == facts_.identity;
  }

  [[nodiscard]] WarmthState resting_state() const {
    return is_proven(policy_, facts_) && !lost_by(facts_) ? WarmthState::Warm : WarmthState::Cold;
  }

  // Open, whatever the cache holds; an open gate keeps its reason.
  [[nodiscard]] WarmthVerdict let_go(WarmthReason reason) const {
    WarmthVerdict verdict{.state = resting_state(), .reason = reason};
    if (facts_.containers_ready && !is_open()) {
      verdict.gate = GateMove::Open;
    }
    return verdict;
  }

  [[nodiscard]] WarmthVerdict open(WarmthState state, WarmthReason reason) const {
    WarmthVerdict verdict{.state = state, .reason = reason};
    if (!facts_.containers_ready) {
      verdict.reason = WarmthReason::ContainersNotReady;
    } else if (!is_open() || !says(reason)) {
      verdict.gate = GateMove::Open;
    }
    return verdict;
  }

  // An open gate is closed, unless nothing else would serve. A closed one, or one that nobody has
  // written, is as good as it is: writing False early only gets into the way of others' True.
  [[nodiscard]] WarmthVerdict close(WarmthState state, WarmthReason reason) const {
    WarmthVerdict verdict{.state = state, .reason = reason};
    if (!is_open()) {
      return verdict;
    }
    if (facts_.ready && facts_.other_ready == 0) {
      verdict.state = state == WarmthState::Draining ? resting_state() : state;
      verdict.reason = WarmthReason::LastReadyPod;
      verdict.gate = says(WarmthReason::LastReadyPod) ? GateMove::Leave : GateMove::Open;
      return verdict;
    }
    verdict.gate = GateMove::Closed;
    return verdict;
  }

  const WarmthPolicy& policy_;
  const WarmthFacts& facts_;
  const WallTime now_;
};

}  // namespace

WarmthVerdict judge_warmth(const WarmthPolicy& policy, const WarmthFacts& facts, WallTime now) {
  return Judge(policy, facts, now).verdict();
}

}  // namespace scaledcache::core
