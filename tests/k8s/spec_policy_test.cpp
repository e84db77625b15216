#include "k8s/spec_policy.h"

#include <doctest/doctest.h>

#include "base/rfc3339.h"
#include "base/zone.h"
#include "k8s/resource_samples.h"
#include "k8s/scale.h"

namespace scaledcache::k8s {
namespace {

TEST_CASE("the defaults of a spec are those of a policy") {
  Problems problems;
  Json object = minimal_spec();
  object.erase("minReplicas");
  const Spec spec = spec_from_json(object, "spec", problems);
  core::Policy want;
  want.max_replicas = 10;
  want.signals.resize(1);
  want.signals[0].requests_per_replica = 200;
  CHECK(to_policy(spec) == want);
}

TEST_CASE("every value reaches the policy") {
  Spec spec;
  spec.min_replicas = 3;
  spec.max_replicas = 30;
  spec.poll_interval = Milliseconds{1};
  spec.short_window = Milliseconds{2};
  spec.long_window = Milliseconds{3};
  spec.cooldown = Milliseconds{4};
  spec.failure_grace = Milliseconds{5};
  spec.max_sample_age = Milliseconds{6};
  spec.dry_run = true;
  spec.scale_up = {7, 8, 9, 10, core::Headroom::None, Milliseconds{11}};
  spec.scale_down = {12, 13, Milliseconds{14}, 15, 16};
  spec.fallback = {FallbackBehavior::CurrentOrLower, 17};
  spec.signals.resize(1);
  spec.signals[0].name = "edge";
  spec.signals[0].query = "sum(up)";
  spec.signals[0].pod_label = "exported_pod";
  spec.signals[0].requests_per_replica = 18;
  spec.signals[0].target_utilization_percent = 19;
  spec.signals[0].activation_rate = 20;
  spec.signals[0].includes_baseline = true;
  spec.signals[0].saturation_query = "sum(rate(rejects[1m]))";
  spec.baseline = BaselineSpec{"app=web", 21};
  spec.schedules = {core::Schedule{*core::parse_cron("0 7 * * *"), *core::parse_cron("0 9 * * *"),
                                   *load_zone("Europe/Berlin"), 22}};

  core::Policy want;
  want.min_replicas = 3;
  want.max_replicas = 30;
  want.poll_interval = Milliseconds{1};
  want.short_window = Milliseconds{2};
  want.long_window = Milliseconds{3};
  want.cooldown = Milliseconds{4};
  want.failure_grace = Milliseconds{5};
  want.max_sample_age = Milliseconds{6};
  want.dry_run = true;
  want.scale_up = {7, 8, 9, 10, core::Headroom::None, Milliseconds{11}};
  want.scale_down = {12, 13, Milliseconds{14}, 15, 16};
  want.fallback = {core::FallbackBehavior::CurrentOrLower, 17};
  core::SignalPolicy signal;
  signal.name = "edge";
  signal.kind = core::SignalKind::Query;
  signal.pod_label = "exported_pod";
  signal.requests_per_replica = 18;
  signal.target_utilization_percent = 19;
  signal.activation_rate = 20;
  signal.includes_baseline = true;
  signal.saturation = core::SaturationKind::Rate;
  want.signals = {signal};
  want.baseline = core::BaselinePolicy{21};
  want.schedules = spec.schedules;
  CHECK(to_policy(spec) == want);
}

TEST_CASE("annotations become the wish to pause") {
  PauseAnnotations pause;
  pause.replicas = 4;
  pause.scale_down_paused = true;
  const core::PauseWish wish = to_pause_wish(pause);
  CHECK_FALSE(wish.paused);
  CHECK(wish.paused_replicas == 4);
  CHECK_FALSE(wish.no_growth);
  CHECK(wish.no_shrinking);
}

TEST_CASE("a pod becomes the facts of a pod") {
  const WallTime start = *parse_time("2026-01-01T00:00:00Z");
  Pod pod;
  pod.name = "varnish-1";
  pod.pod_ip = "10.0.0.7";
  pod.phase = PodPhase::Running;
  pod.ready = true;
  pod.ready_since = start;
  pod.container_started = start - Milliseconds{1000};
  pod.deleted = start;
  const core::PodFacts facts = to_pod_facts(pod, false);
  CHECK(facts.name == "varnish-1");
  CHECK(facts.address == "10.0.0.7");
  CHECK(facts.phase == core::PodPhase::Running);
  CHECK_FALSE(facts.belongs);
  CHECK(facts.ready);
  CHECK(facts.terminating);
  CHECK(facts.ready_since == start);
  CHECK_FALSE(facts.ready_until);
  CHECK(facts.container_started == start - Milliseconds{1000});
}

TEST_CASE("a write of the count is ours by the name of its manager") {
  Workload workload;
  CHECK_FALSE(to_count_write(workload.replicas_writer));
  workload.replicas_writer = ReplicasWriter{kFieldManager, WallTime{}};
  CHECK(to_count_write(workload.replicas_writer)->ours);
  CHECK(to_count_write(workload.replicas_writer)->time == WallTime{});
  workload.replicas_writer->manager = "kubectl";
  CHECK_FALSE(to_count_write(workload.replicas_writer)->ours);
}

}  // namespace
}  // namespace scaledcache::k8s
