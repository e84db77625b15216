// Everything that one tick saw: the target, its pods, and what each signal reads. Values only; the
// one who gathers them judges nothing, and whoever judges them fetches nothing.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "core/own_requests.h"
#include "core/reason.h"

namespace scaledcache::core {

// decision.md section 3. Fresh, Partial and Suspect are usable.
enum class Health { Fresh, Partial, Stale, Missing, Invalid, Suspect };

[[nodiscard]] std::string_view name_of(Health health);

[[nodiscard]] constexpr bool is_usable(Health health) {
  return health == Health::Fresh || health == Health::Partial || health == Health::Suspect;
}

// Why a reading is not Fresh, precise enough for a condition to name it.
enum class Fault {
  None,
  EmptyAnswer,
  QueryError,  // the backend says that the query failed (HTTP 200 with status error, HTTP 4xx)
  BackendUnreachable,
  Timeout,
  Unauthorized,
  Forbidden,
  TooOld,           // the newest sample is older than maxSampleAge
  LowCoverage,      // fewer than half of the judged pods have a current sample
  MissingPods,      // nine in ten are not reached, half are
  PartialAnswer,    // the backend itself says that the answer is partial
  NotANumber,       // a query's NaN, or text that is no number
  Infinite,         // a query's +Inf or -Inf
  Negative,         // a query's negative value
  SeveralElements,  // a query's vector of more than one element
  WrongType,        // a string or a matrix where a number is expected, or the reverse
  BadSample,        // no series is left once those with ±Inf or negative samples are dropped
  NoPodLabel,       // series came, and none carries a pod of the target
  ScopeMismatch,    // series came, and all belong to pods of something else
  TooFewSamples,    // no series has two samples yet, so nothing has a rate
};

[[nodiscard]] std::string_view name_of(Fault fault);

// The fleet's rate at an instant of the past, for filling the history.
struct RatePoint {
  WallTime time;
  double rate = 0;  // requests per second

  bool operator==(const RatePoint&) const = default;
};

// Whether the caches' uptime counts on while their requests stand still. Unknown where nobody
// asked, or the exporter does not show it.
enum class Pulse { Unknown, Moving, Still };

// What one signal reads in one tick. `health` is never Suspect here: that needs the history, and
// decide judges it.
struct SignalReading {
  Health health = Health::Missing;
  Fault fault = Fault::EmptyAnswer;
  std::array<double, 4> delta{};  // δ₀ … δ₃: fleet rate in the newest four intervals, per second
  int complete_intervals = 0;                   // how many of delta the answer covers whole
  double short_rate = 0;                        // over the newest shortWindow, per second
  Milliseconds interval{10'000};                // s
  std::optional<Milliseconds> scrape_interval;  // as learned from the samples
  std::optional<Milliseconds> sample_age;       // of the newest sample, by the backend's clock
  std::optional<WallTime> measured;             // end of the windows, by our clock
  std::optional<WallTime> newest_sample;        // by the backend's clock
  double coverage = 1;                          // judged pods with a current sample ÷ judged pods
  int judged_pods = 0;
  int covered_pods = 0;
  int baseline_covered = 0;          // baseline pods that are ready and have a current sample
  int foreign_series = 0;            // of pods that do not belong to the target
  int duplicate_series = 0;          // the same traffic once more, left out
  bool gapless = true;               // no scrape was missed within the newest four intervals
  int bad_series = 0;                // dropped for a ±Inf or negative sample
  bool standing_still = false;       // no counter has moved for two scrapes, though it did before
  Pulse pulse = Pulse::Unknown;      // asked for only where the counters stand still
  bool has_served = false;           // above 1 request per second, in this answer or before
  std::optional<double> saturation;  // what the saturation query gave; nothing: unknown
  std::vector<std::string> labels_seen;  // for NoPodLabel: the names of the labels that came
  std::string likely_pod_label;          // for NoPodLabel: the one that holds pods of the target
  std::vector<RatePoint> history;        // of the past, oldest first; only when it was asked for
};

enum class PodPhase { Pending, Running, Succeeded, Failed, Unknown };

// One pod of the target, or one that was within the window. Times by our clock.
struct PodFacts {
  std::string name;
  std::string address;  // pod IP, only to recognise `instance` labels; may be empty
  PodPhase phase = PodPhase::Running;
  bool belongs = true;    // to the target, by owner
  bool baseline = false;  // not of the target, but carries part of the same traffic
  bool ready = false;
  bool terminating = false;
  std::optional<WallTime> ready_since;  // start of the present or last time of being ready
  std::optional<WallTime> ready_until;  // end of the last time of being ready; nothing while ready
  std::optional<WallTime> container_started;
  std::vector<OwnRequests> own{};  // that we sent to it, oldest first; empty where none are known
};

struct PodCounts {
  int ready = 0;
  int warm = 0;
  int warming = 0;
};

// What the pause annotations ask for. `paused` holds any text that is not "false".
struct PauseWish {
  bool paused = false;
  std::optional<int> paused_replicas;
  bool no_growth = false;
  bool no_shrinking = false;
};

// A rollout that is under way. `since` where the cluster tells it, else the first sight counts.
struct Rollout {
  std::string revision;
  std::optional<WallTime> since;
};

// Who wrote spec.replicas last, as managedFields tell.
struct CountWrite {
  bool ours = false;
  std::optional<WallTime> time;
};

// Who else is in charge of the target.
enum class Contender { None, HorizontalPodAutoscaler, ScaledCache };

struct Observation {
  int replicas = 0;  // spec.replicas of the target as last read
  int draining = 0;  // pods of it that are being drained
  std::optional<CountWrite> last_write;
  Contender contender = Contender::None;
  PauseWish pause;
  bool force_activation = false;  // at least 1 replica while min is 0
  std::optional<Rollout> rollout;
  PodCounts pods;
  std::vector<WallTime> warming_since;  // of each pod that is not yet warm: when it was ordered
  std::vector<Milliseconds>
      warmed;  // of each pod that became warm since the last tick: patch to warm
  std::vector<SignalReading> signals;  // in the order of the policy
  std::optional<int> baseline_ready;   // baseline pods that are Ready with a current sample
  std::optional<Reason> growth_veto;   // of an enforced guard
};

}  // namespace scaledcache::core
