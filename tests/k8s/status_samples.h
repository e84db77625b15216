// A status with every field set.
#pragma once

#include "base/rfc3339.h"
#include "k8s/status.h"

namespace scaledcache::k8s {

inline WallTime at(const char* text) {
  return *parse_time(text);
}

inline Status full_status() {
  Status status;
  status.observed_generation = 3;
  status.replicas = 8;
  status.desired_replicas = 10;
  status.ready_replicas = 7;
  status.warm_replicas = 6;
  status.warming = 2;
  status.draining = 1;
  SignalStatus signal;
  signal.name = "requests";
  signal.short_rate = 2299;
  signal.peak = 2311.25;
  signal.per_replica = 328;
  signal.wish = 10;
  signal.health = "Fresh";
  signal.sample_age = Milliseconds{2'500};
  signal.coverage = 0.88;
  signal.foreign_series = 1;
  signal.noise = 12.5;
  signal.risk = 0.0004;
  signal.headroom = 0.02;
  signal.suspect_since = at("2026-01-01T00:00:01.250Z");
  signal.last_usable_time = at("2026-01-01T00:00:02Z");
  status.signals.push_back(signal);
  status.measured_time = at("2026-01-01T00:00:03Z");
  status.last_decision =
      LastDecision{at("2026-01-01T00:00:04Z"), 8, 10, "Grow", "2300 requests per second"};
  status.last_scale_up_time = at("2026-01-01T00:00:05.001Z");
  status.last_scale_down_time = at("2026-01-01T00:00:06Z");
  status.last_change = LastChange{at("2026-01-01T00:00:07Z"), 2, 8, "scaledcache-operator"};
  status.idle = Milliseconds{1'250};
  status.peak_time = at("2026-01-01T00:00:08Z");
  status.lead = Milliseconds{31'500};
  status.paused_replicas = 4;
  status.foreign_write_times = {at("2026-01-01T00:00:09Z"), at("2026-01-01T00:00:10Z")};
  status.outage_hold_until = at("2026-01-01T00:00:11Z");
  status.original_replicas = 2;
  status.selector = "app=varnish";
  status.drain_goal = 8;
  status.drains = {{"varnish-a", "uid-a", at("2026-01-01T00:00:13Z")}};
  status.pods = {{"varnish-b", "Cold", std::nullopt, std::nullopt, "waits for its containers"},
                 {"varnish-c", "Warm", 100, 2.4, ""}};
  add_pending_conditions(status.conditions, 3, at("2026-01-01T00:00:12Z"));
  return status;
}

}  // namespace scaledcache::k8s
