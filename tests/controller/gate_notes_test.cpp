#include "controller/gate_notes.h"

#include <doctest/doctest.h>

#include "controller/prober.h"

namespace scaledcache::controller {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kNow = WallTime{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};
constexpr SteadyTime kSteady = SteadyTime{1h};

// A pod of a ScaledCache that gates and probes.
GateSight sight_at(Milliseconds later) {
  auto cache = std::make_shared<k8s::ScaledCache>();
  cache->meta.name = "blog";
  cache->meta.name_space = "shop";
  cache->spec.warmup.mode = k8s::WarmupMode::Gate;
  cache->spec.warmup.port = 8080;
  cache->spec.warmup.probe = true;
  GateSight sight;
  sight.pod.phase = k8s::PodPhase::Running;
  sight.pod.containers_ready = true;
  sight.pod.containers_ready_since = kNow - 10s;
  sight.scene.cache = std::move(cache);
  sight.identity = "c1";
  sight.now = kNow + later;
  sight.steady = kSteady + later;
  return sight;
}

GateRecord proven() {
  GateRecord record;
  record.reason = core::WarmthReason::CacheWarm;
  record.proved = {{"/", {}, false}};
  return record;
}

TEST_CASE("a wait goes by the steady clock once it is seen") {
  GateRecord record;
  note_sight(sight_at(0s), record);
  CHECK(record.cold_since == kNow - 10s);
  CHECK(record.cache == "shop/blog");
  GateSight later = sight_at(20s);
  later.now += 24h;
  note_sight(later, record);
  CHECK(later.now - *record.cold_since == 30s);
  later.now -= 48h;
  note_sight(later, record);
  CHECK(later.now - *record.cold_since == 30s);
}

TEST_CASE("a warm-up that ended in the future ended now") {
  GateRecord record;
  record.warmup = core::WarmupFacts{.identity = "c1", .ended = kNow + 1h};
  note_sight(sight_at(0s), record);
  CHECK(record.warmup->ended == kNow);
  note_sight(sight_at(5s), record);
  CHECK(record.warmup->ended == kNow);
}

TEST_CASE("what was proven is forgotten when it is lost, and the wait begins anew") {
  GateRecord record = proven();
  record.warmup = core::WarmupFacts{};
  record.misses_in_a_row = 3;
  note_sight(sight_at(0s), record);
  core::WarmthVerdict verdict;
  verdict.cold_again = true;
  note_verdict(sight_at(60s), record, verdict);
  CHECK_FALSE(record.warmup);
  CHECK(record.proved.empty());
  CHECK(record.misses_in_a_row == 0);
  note_sight(sight_at(70s), record);
  CHECK(record.cold_since == kNow + 60s);
}

TEST_CASE("warm-ups of the same containers are counted, a restart begins at one") {
  const WarmJob job{"shop/a", "uid-a", "c1", nullptr, {}, {}};
  std::optional<core::WarmupFacts> last;
  for (const int attempt : {1, 2, 3}) {
    last = outcome_of(job, {}, last, kNow);
    CHECK(last->attempts == attempt);
  }
  last->identity = "c0";
  CHECK(outcome_of(job, {}, last, kNow).attempts == 1);
}

TEST_CASE("a pod that answers slowly is asked less and less") {
  GateRecord record = proven();
  CHECK(probe_interval(record, 4) == kProbeInterval);
  record.slow_probes = 3;
  CHECK(probe_interval(record, 4) == 8 * kProbeInterval);
  record.slow_probes = 1'000;
  CHECK(probe_interval(record, 4) == 128 * kProbeInterval);
}

TEST_CASE("the next look is due when there is something to do") {
  const GateSight sight = sight_at(0s);
  const core::WarmthVerdict verdict;
  CHECK(next_look(sight, proven(), verdict, 4) == kProbeInterval);
  GateRecord record = proven();
  record.misses_in_a_row = core::kMissesInARow;
  CHECK(next_look(sight, record, verdict, 4) == 0ms);
  record = proven();
  record.waits = true;
  CHECK(next_look(sight, record, verdict, 4) == kGateProgress);
}

TEST_CASE("a warm pod that is not probed is looked at only when something changes") {
  GateSight sight = sight_at(0s);
  auto cache = std::make_shared<k8s::ScaledCache>(*sight.scene.cache);
  cache->spec.warmup.probe = false;
  sight.scene.cache = cache;
  CHECK_FALSE(next_look(sight, proven(), {}, 4));
}

}  // namespace
}  // namespace scaledcache::controller
