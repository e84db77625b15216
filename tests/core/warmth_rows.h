// Pods for the judge of warmth, and tables of verdicts on them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/warmth.h"

namespace scaledcache::core::test {

using Change = std::function<void(WarmthPolicy&, WarmthFacts&)>;

inline const WallTime kNow{std::chrono::sys_days{std::chrono::year{2026} / 5 / 4}};
inline constexpr Milliseconds kSecond{1'000};

inline WarmthPolicy gating() {
  return {.gates = true};
}

// A pod whose containers have been ready for three seconds, in a fleet of three that serve.
inline WarmthFacts new_pod() {
  WarmthFacts facts;
  facts.has_gate = true;
  facts.gated_label = true;
  facts.containers_ready = true;
  facts.identity = "c1";
  facts.cold_since = kNow - 3 * kSecond;
  facts.other_ready = 3;
  return facts;
}

inline WarmupFacts warmed(int hit_percent) {
  return {.identity = "c1",
          .ended = kNow - kSecond,
          .finished = true,
          .urls = 60,
          .cacheable = 50,
          .hit_percent = hit_percent};
}

inline GateFacts open_gate(WarmthReason reason) {
  return {.open = true,
          .reason = std::string(name_of(reason)),
          .identity = "c1",
          .since = kNow - 60 * kSecond};
}

// Proven by a warm-up of ours, open and serving.
inline WarmthFacts warm_pod() {
  WarmthFacts facts = new_pod();
  facts.ready = true;
  facts.warmup = warmed(97);
  facts.gate = open_gate(WarmthReason::CacheWarm);
  return facts;
}

// `change` is made to `facts` and to a policy that gates.
struct VerdictRow {
  const char* name;
  WarmthFacts facts;
  Change change;
  WarmthState state;
  GateMove gate;
  WarmthReason reason;
};

inline void check_rows(const std::vector<VerdictRow>& rows) {
  for (const VerdictRow& row : rows) {
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

}  // namespace scaledcache::core::test
