#include "controller/gate_notes.h"

#include <algorithm>

#include "controller/prober.h"

namespace scaledcache::controller {
namespace {

constexpr int kMostDoublings = 7;

Milliseconds since(SteadyTime then, SteadyTime now) {
  return std::chrono::duration_cast<Milliseconds>(now - then);
}

}  // namespace

void note_sight(const GateSight& sight, GateRecord& record) {
  record.identity = sight.identity;
  record.cache = sight.scene.cache ? key_of(*sight.scene.cache) : "";
  record.unknown_since.reset();
  if (record.warmup) {
    record.warmup->ended = std::min(record.warmup->ended, sight.now);
  }
  if (!record.cold_at) {
    if (const auto cold = cold_since(sight.pod, sight.now)) {
      record.cold_since = cold;
      record.cold_at = sight.steady - (sight.now - *cold);
    }
  } else if (!record.warm_since) {
    record.cold_since = sight.now - since(*record.cold_at, sight.steady);
  }
}

void note_verdict(const GateSight& sight, GateRecord& record, const core::WarmthVerdict& verdict) {
  if (verdict.cold_again) {
    record.warmup.reset();
    record.proved.clear();
    record.seen.clear();
    record.answered.reset();
    record.misses_in_a_row = 0;
    record.slow_probes = 0;
    record.cold_since = sight.now;
    record.cold_at = sight.steady;
  }
  const bool is_warm = verdict.state == core::WarmthState::Warm;
  record.warm_since = is_warm ? record.warm_since.value_or(sight.now) : std::optional<WallTime>();
  record.state = verdict.state;
  record.reason = verdict.reason;
  record.message = verdict.message;
  record.lacks_label = verdict.lacks_label;
}

core::WarmupFacts outcome_of(const WarmJob& job,
                             const cache::WarmupReport& report,
                             const std::optional<core::WarmupFacts>& before,
                             WallTime now) {
  core::WarmupFacts facts;
  facts.identity = job.identity;
  facts.ended = now;
  facts.attempts = before && before->identity == job.identity ? before->attempts + 1 : 1;
  facts.finished = report.end == cache::WarmupEnd::Finished;
  facts.origin_failing = report.end == cache::WarmupEnd::OriginFailing;
  facts.no_answer = report.end == cache::WarmupEnd::NoAnswer;
  facts.urls = report.urls;
  facts.cacheable = report.cacheable();
  facts.hit_percent = report.hit_percent();
  facts.trouble = report.trouble;
  return facts;
}

bool wants_probes(const GateSight& sight, const GateRecord& record) {
  return record.reason == core::WarmthReason::CacheWarm && may_be_warmed(sight) &&
         sight.scene.cache->spec.warmup.probe && !record.proved.empty();
}

Milliseconds probe_interval(const GateRecord& record, std::size_t warm_pods) {
  return Prober::interval(warm_pods) * (1 << std::min(record.slow_probes, kMostDoublings));
}

std::optional<Milliseconds> next_look(const GateSight& sight,
                                      const GateRecord& record,
                                      const core::WarmthVerdict& verdict,
                                      std::size_t warm_pods) {
  std::optional<Milliseconds> next = verdict.look_again_after;
  const auto no_later_than = [&](Milliseconds delay) {
    next = std::min(next.value_or(delay), delay);
  };
  if (record.waits || sight.warmup_running) {
    no_later_than(kGateProgress);
  }
  if (wants_probes(sight, record)) {
    const bool is_lost = record.misses_in_a_row >= core::kMissesInARow;
    no_later_than(is_lost ? Milliseconds{0} : probe_interval(record, warm_pods));
  }
  return next;
}

}  // namespace scaledcache::controller
