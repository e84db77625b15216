// A ScaledCache that has decided: ten replicas of 200 requests per second each, two to twenty.
#pragma once

#include "base/rfc3339.h"
#include "k8s/scaled_cache.h"

namespace scaledcache::controller::test {

inline const WallTime kNow = parse_time("2026-01-01T13:58:00Z").value_or(WallTime{});

// `rate` over the short window, `peak` of the long one, both requests per second.
inline k8s::ScaledCache cache_with(double rate, double peak) {
  k8s::ScaledCache cache;
  cache.meta.name = "blog";
  cache.meta.name_space = "web";
  cache.meta.uid = "u-1";
  cache.spec.target.name = "varnish";
  cache.spec.min_replicas = 2;
  cache.spec.max_replicas = 20;
  k8s::SignalSpec signal;
  signal.preset = "Varnish";
  signal.requests_per_replica = 200;
  cache.spec.signals = {signal};
  k8s::SignalStatus seen;
  seen.name = "requests";
  seen.health = "Fresh";
  seen.short_rate = rate;
  seen.peak = peak;
  seen.per_replica = rate / 10;
  seen.wish = 10;
  seen.sample_age = Milliseconds{3'000};
  seen.coverage = 1;
  seen.last_usable_time = kNow;
  k8s::Status& status = cache.status;
  status.replicas = 10;
  status.desired_replicas = 10;
  status.ready_replicas = 10;
  status.signals = {seen};
  status.measured_time = kNow;
  status.peak_time = kNow;
  status.last_scale_up_time = kNow - std::chrono::minutes{2};
  status.last_decision = k8s::LastDecision{kNow, 10, 10, "Steady", "1900 req/s need 10 replicas"};
  return cache;
}

}  // namespace scaledcache::controller::test
