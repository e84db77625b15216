// Asks the backend of one signal and reads the answer.
#pragma once

#include <map>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "controller/backend_clock.h"
#include "controller/backend_finder.h"
#include "controller/metrics.h"
#include "core/guards.h"
#include "core/history.h"
#include "core/observation.h"
#include "core/pod_traffic.h"
#include "core/policy.h"
#include "k8s/scaled_cache.h"
#include "prom/backend_client.h"
#include "prom/selector.h"

namespace scaledcache::controller {

// What the operator's flags say about every query.
struct QueryOptions {
  std::string backend_url;  // where the resource names none
  prom::Matchers backend_matchers;
  std::vector<std::string> replica_labels;
};

// One signal of one resource, with what its reading depends on. Refers to values of the caller.
struct SignalQuestion {
  const k8s::ScaledCache& cache;
  const k8s::SignalSpec& spec;
  const core::SignalPolicy& signal;
  const core::Policy& policy;
  const core::History& history;
  std::span<const core::PodFacts> pods;
};

struct SignalAnswer {
  core::SignalReading reading;
  std::string error;           // why the query failed, "" when it did not
  std::string ready_reason{};  // why Ready is False, where what the resource refers to is the cause
  std::vector<core::PodTraffic> traffic{};         // of a counter; only where pods are drained
  std::map<std::string, WallTime> cache_starts{};  // likewise, where they are gated: by pod name
};

// Thread safe.
class SignalReader {
 public:
  struct Parts {
    prom::BackendClient& backend;
    Clock& clock;
    Metrics& metrics;
    BackendSources sources{};
  };

  SignalReader(Parts parts, QueryOptions options) : parts_(parts), options_(std::move(options)) {}

  // Never fails: a backend that does is a reading that says so.
  [[nodiscard]] SignalAnswer read(const SignalQuestion& question, const std::stop_token& stop);

  // What the fleet shows of its hits, its origin and, where `with_egress`, its network: by the
  // series of the signal's preset. Nothing where the backend or the preset does not tell.
  [[nodiscard]] core::FleetReading read_fleet(const SignalQuestion& question,
                                              bool with_egress,
                                              const std::stop_token& stop);

 private:
  class Reading;

  const Parts parts_;
  const QueryOptions options_;
  BackendClocks clocks_;
};

// How the signal's saturation query counts, be it its own or its preset's.
[[nodiscard]] core::SaturationKind saturation_kind(const k8s::SignalSpec& spec);

}  // namespace scaledcache::controller
