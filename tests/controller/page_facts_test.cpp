#include "controller/page_facts.h"

#include <cmath>

#include <doctest/doctest.h>

#include "controller/hand_made_cluster.h"

namespace scaledcache::controller {
namespace {

using k8s::ConditionStatus;

constexpr WallTime kNow{std::chrono::milliseconds{1'800'000'000'000}};

k8s::Status status_with(std::vector<k8s::ConditionValue> values) {
  k8s::Status status;
  k8s::set_condition(status.conditions, {"Ready", ConditionStatus::True, "AsExpected", ""}, 1,
                     kNow);
  for (k8s::ConditionValue& value : values) {
    k8s::set_condition(status.conditions, std::move(value), 1, kNow);
  }
  return status;
}

// A look at two ready replicas that stay two.
struct Scene {
  k8s::ScaledCache cache = cache_of("web");
  Gathered gathered;
  core::Decision decision;

  Scene() {
    gathered.target.replicas = 2;
    gathered.observation.pods = {2, 2, 0};
    decision.from = 2;
    decision.replicas = 2;
    decision.min_replicas = 1;
    decision.max_replicas = 9;
  }

  [[nodiscard]] PageCache page(const k8s::Status& status) const {
    return page_after_look({cache, gathered, decision, "stays at 2", kNow}, status);
  }
};

TEST_CASE("how a ScaledCache stands follows from its conditions, worst first") {
  struct Row {
    const char* name;
    std::vector<k8s::ConditionValue> conditions;
    std::string_view want;
  };

  const k8s::ConditionValue paused{"Paused", ConditionStatus::True, "Annotation", ""};
  const k8s::ConditionValue contested{"Contested", ConditionStatus::True, "ForeignWriter", ""};
  for (const Row& row : {
           Row{"nothing to say", {}, "good"},
           Row{"paused by an annotation", {paused}, "paused"},
           Row{"another writer, paused or not", {paused, contested}, "attention"},
           Row{"at its maximum",
               {{"ScalingLimited", ConditionStatus::True, "AtMaximum", ""}},
               "attention"},
           Row{"limited by its own steps",
               {{"ScalingLimited", ConditionStatus::True, "ScaleUpLimited", ""}},
               "good"},
           Row{"pods are warming, as they should",
               {{"Warm", ConditionStatus::False, "Warming", ""}},
               "good"},
           Row{"a warm-up that takes too long",
               {{"Warm", ConditionStatus::False, "WarmupTimeout", ""}},
               "attention"},
           Row{"growth does not help",
               {{"ScalingEffective", ConditionStatus::False, "OriginBound", ""}},
               "attention"},
           Row{"no samples, and contested",
               {contested, {"MetricsReady", ConditionStatus::False, "NoData", ""}},
               "broken"},
           Row{"no target", {{"Ready", ConditionStatus::False, "TargetNotFound", ""}}, "broken"},
       }) {
    SUBCASE(row.name) {
      CHECK(name_of(Scene().page(status_with(row.conditions)).standing) == row.want);
    }
  }
}

TEST_CASE("a ScaledCache moves while pods come, warm or go") {
  Scene scene;
  CHECK(name_of(scene.page(status_with({})).standing) == "good");
  SUBCASE("a new count") {
    scene.decision.replicas = 3;
  }
  SUBCASE("a pod that is not ready yet") {
    scene.gathered.observation.pods.ready = 1;
  }
  SUBCASE("a gated pod that serves cold") {
    scene.gathered.warmth.emplace();
    scene.gathered.observation.pods.warm = 1;
  }
  SUBCASE("a pod that is warmed") {
    scene.gathered.observation.pods.warming = 1;
  }
  SUBCASE("a pod that is drained") {
    scene.gathered.observation.draining = 1;
  }
  CHECK(name_of(scene.page(status_with({})).standing) == "moving");
}

TEST_CASE("a load that nobody knows is not shown as zero") {
  Scene scene;
  core::SignalVerdict verdict;
  for (const core::Health health : {core::Health::Missing, core::Health::Invalid}) {
    verdict.health = health;
    scene.decision.signals = {verdict};
    CHECK(std::isnan(scene.page(status_with({})).signals.at(0).rate));
  }
  verdict.health = core::Health::Fresh;
  scene.decision.signals = {verdict};
  CHECK(scene.page(status_with({})).signals.at(0).rate == 0);
}

TEST_CASE("a look is shown with its numbers, its signals and its pods") {
  Scene scene;
  core::SignalVerdict verdict;
  verdict.name = "requests";
  verdict.health = core::Health::Stale;
  verdict.fault = core::Fault::TooOld;
  verdict.short_rate = 310;
  verdict.q = 200;
  scene.decision.signals = {verdict};
  core::SignalReading reading;
  reading.sample_age = Milliseconds{4'000};
  reading.coverage = 0.5;
  scene.gathered.observation.signals = {reading};
  k8s::Pod ready;
  ready.name = "web-1";
  ready.phase = k8s::PodPhase::Running;
  ready.ready = true;
  k8s::Pod starting = ready;
  starting.name = "web-2";
  starting.ready = false;
  k8s::Pod leaving = ready;
  leaving.name = "web-3";
  leaving.deleted = kNow;
  k8s::Pod done = ready;
  done.phase = k8s::PodPhase::Succeeded;
  scene.gathered.target.pods = {ready, starting, leaving, done};
  const PageCache page = scene.page(status_with({}));
  CHECK(page.key() == "blog/web");
  CHECK(page.target == "Deployment/varnish");
  CHECK(page.max_replicas == 9);
  CHECK(page.sentence == "stays at 2");
  REQUIRE(page.signals.size() == 1);
  CHECK(page.signals[0].health == "Stale");
  CHECK(page.signals[0].problem == "TooOld");
  CHECK(page.signals[0].rate == 310);
  CHECK(page.signals[0].sample_age == Milliseconds{4'000});
  REQUIRE(page.pods.size() == 3);
  CHECK(page.pods[0].state == "Ready");
  CHECK(page.pods[1].state == "Starting");
  CHECK(page.pods[2].state == "Draining");
  CHECK_FALSE(page.gated);
}

TEST_CASE("gated pods are shown as the gate knows them, so many and no more") {
  Scene scene;
  FleetWarmth warmth;
  warmth.pods.resize(kMaxPagePods + 1);
  warmth.pods.front().state = "Warming";
  scene.gathered.warmth = warmth;
  const PageCache page = scene.page(status_with({}));
  CHECK(page.gated);
  CHECK(page.pods.size() == kMaxPagePods);
  CHECK(page.pods.front().state == "Warming");
}

TEST_CASE("a failure keeps what was measured and says what is wrong") {
  const Scene scene;
  const PageCache before = scene.page(status_with({}));
  const k8s::Status failed =
      status_with({{"Ready", ConditionStatus::False, "TargetNotFound", "no Deployment varnish"}});
  const Error error{ErrorCode::NotFound, "deployments \"varnish\" not found"};
  const PageCache page = page_after_failure(before, scene.cache, failed, error, kNow);
  CHECK(name_of(page.standing) == "broken");
  CHECK(page.reason == "TargetNotFound");
  CHECK(page.sentence == "no Deployment varnish");
  CHECK(page.replicas == 2);

  const PageCache first =
      page_after_failure(std::nullopt, scene.cache, status_with({}), error, kNow);
  CHECK(name_of(first.standing) == "broken");
  CHECK(first.key() == "blog/web");
  CHECK(first.max_replicas == 10);
  CHECK(first.sentence == error.message);
}

}  // namespace
}  // namespace scaledcache::controller
