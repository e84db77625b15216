#include "k8s/kept_status.h"

#include <doctest/doctest.h>

#include "k8s/scale.h"
#include "k8s/status_samples.h"

namespace scaledcache::k8s {
namespace {

TEST_CASE("what a decision remembers comes back through the status as it was") {
  core::KeptStatus kept;
  kept.desired_replicas = 8;
  kept.last_up = at("2026-01-01T00:00:01.001Z");
  kept.last_down = at("2026-01-01T00:00:02Z");
  kept.last_change = core::Change{at("2026-01-01T00:00:03Z"), 2, 8, false};
  kept.idle = Milliseconds{12'345};
  kept.peak_time = at("2026-01-01T00:00:04.5Z");
  kept.lead = Milliseconds{31'415};
  kept.paused_replicas = 4;
  kept.foreign_writes = {at("2026-01-01T00:00:05Z")};
  kept.outage_hold_until = at("2026-01-01T00:00:06Z");
  Status status;
  put_kept(kept, status);
  const core::KeptStatus again = kept_from_status(status_from_json(to_json(status)));
  CHECK(again.desired_replicas == kept.desired_replicas);
  CHECK(again.last_up == kept.last_up);
  CHECK(again.last_down == kept.last_down);
  CHECK(again.last_change == kept.last_change);
  CHECK(again.idle == kept.idle);
  CHECK(again.peak_time == kept.peak_time);
  CHECK(again.lead == kept.lead);
  CHECK(again.paused_replicas == kept.paused_replicas);
  CHECK(again.foreign_writes == kept.foreign_writes);
  CHECK(again.outage_hold_until == kept.outage_hold_until);
}

TEST_CASE("the memory of each signal is read from its status") {
  const core::KeptStatus kept = kept_from_status(full_status());
  REQUIRE(kept.signals.size() == 1);
  CHECK(kept.signals[0].name == "requests");
  CHECK(kept.signals[0].peak == 2311.25);
  CHECK(kept.signals[0].noise == 12.5);
  CHECK(kept.signals[0].risk == 0.0004);
  CHECK(kept.signals[0].suspect_since == at("2026-01-01T00:00:01.250Z"));
  CHECK(kept.signals[0].last_usable == at("2026-01-01T00:00:02Z"));
}

TEST_CASE("a writer's name is kept while its change is the last one") {
  Status status = full_status();
  status.last_change = LastChange{at("2026-01-01T00:00:07Z"), 8, 3, "kubectl-edit"};
  core::KeptStatus kept = kept_from_status(status);
  put_kept(kept, status);
  CHECK(status.last_change->by == "kubectl-edit");
  kept.last_change->time = at("2026-01-01T00:00:08Z");
  put_kept(kept, status);
  CHECK(status.last_change->by == "unknown");
  kept.last_change->ours = true;
  put_kept(kept, status);
  CHECK(status.last_change->by == kFieldManager);
}

TEST_CASE("only a recorded decision is a memory") {
  CHECK_FALSE(has_memory(Status{}));
  CHECK(has_memory(full_status()));
}

}  // namespace
}  // namespace scaledcache::k8s
