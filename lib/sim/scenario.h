// A scenario: a policy, a world, what happens to it, and what must be decided.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "core/policy.h"

namespace scaledcache::sim {

// What varies around a rate from second to second.
struct Noise {
  double share = 0;  // of the rate, one standard deviation
  bool poisson = false;
};

struct LoadPoint {
  Milliseconds at{0};
  double rate = 0;  // requests per second
  Noise noise;
  bool ramp = false;  // linear from the point before
};

// A load: points, or a recorded series that was scaled to requests per second.
struct Load {
  std::vector<LoadPoint> points;
  std::vector<double> trace;  // requests per second, every `step`
  Milliseconds step{0};
  Milliseconds skip{0};
  Noise trace_noise;
};

struct World {
  int replicas = 0;
  Milliseconds ready_delay{30'000};
  Milliseconds warm_delay{0};
  Milliseconds scrape_interval{5'000};
  bool spread_scrapes = true;
  std::optional<double> capacity;  // requests per second of one pod
  std::uint64_t seed = 1;
  WallTime start{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};
  int baseline_pods = 0;
};

enum class FaultKind {
  Empty,
  NotANumber,
  PlusInfinity,
  MinusInfinity,
  Negative,
  Zero,
  Huge,
  Garbage,
  TwoSeries,
  Text,
  Matrix,
  StatusError,
  Http400,
  Http503,
  Refused,
  Timeout,
  Stale,
  Frozen,
  Duplicate,
  StaleMarker,
  Partial,  // value: share of the pods
  Clock,    // offset
  Delay,    // offset
  Unready,
  Failed,       // value: pods
  Terminating,  // value: pods
  Succeeded,    // value: pods
  Rejects,      // value: requests per second
};

// From `from` until before `to`.
struct Fault {
  Milliseconds from{0};
  Milliseconds to{0};
  FaultKind kind = FaultKind::Empty;
  double value = 0;
  Milliseconds offset{0};
  std::string signal;  // empty: all
};

struct RolloutPlan {
  double surge = 0.25;
  Milliseconds duration{120'000};
};

struct Annotation {
  std::string name;
  std::optional<std::string> value;  // nothing removes it
};

// What a signal's queries are, as far as the world must know.
struct SignalSource {
  std::string saturation_query;
  bool has_age = false;
  bool shows_uptime = false;  // of the caches; an exporter that stands still stops it as well
};

struct Event {
  Milliseconds at{0};
  std::optional<int> replicas;
  bool restart = false;
  std::optional<core::Policy> policy;
  std::vector<Annotation> annotations;
  std::optional<int> baseline_pods;
  bool crash = false;
  bool reset = false;
  std::optional<RolloutPlan> rollout;
};

struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();

  [[nodiscard]] bool holds(double value) const { return value >= least && value <= most; }
};

struct Expectation {
  Milliseconds from{0};
  Milliseconds to{0};
  int line = 0;
  std::string text;  // as it stands in the file
  std::optional<Range> replicas;
  std::optional<std::string> reason;
  std::optional<std::string> condition;
  std::string status;
  std::optional<Range> changes;
  std::optional<Range> reversals;
  std::optional<Range> unserved;  // %
  std::optional<Range> under;     // %
  std::optional<Range> over;      // %
  std::optional<Range> cost;      // replica-hours
};

struct Scenario {
  std::string file;
  int line = 0;
  std::string name;
  core::Policy policy;
  std::vector<SignalSource> sources;  // in the order of the policy's signals
  World world;
  std::vector<Load> loads;  // in the order of the policy's signals
  std::vector<Fault> faults;
  std::vector<Event> events;  // by time
  std::vector<Expectation> expectations;
  Milliseconds end{0};
};

// A scenario that could not be read because a trace is not there; told apart so that a suite can
// name what it leaves out.
struct MissingTrace {
  std::string name;
  std::string path;
};

struct ScenarioFile {
  std::vector<Scenario> scenarios;
  std::vector<MissingTrace> missing;
};

// Reads every document of a file. Invalid holds one line per problem, "file:line: field: what is
// wrong". Relative paths in it are looked for beside the file, traces first in `traces` if given.
[[nodiscard]] Result<ScenarioFile> read_scenarios(const std::string& path,
                                                  const std::string& traces = "");

// How to replay a recorded series.
struct TraceSource {
  std::string path;
  std::string column;    // empty: the last one
  Milliseconds step{0};  // 0: from the first column, where it counts seconds
  Milliseconds per{0};   // 0: as step
  Milliseconds skip{0};
  double peak_replicas = 0;  // 0: as recorded
};

// A manifest against a trace, with arrivals as they come: no scenario file needed.
[[nodiscard]] Result<Scenario> scenario_of(const std::string& manifest, const TraceSource& trace);

}  // namespace scaledcache::sim
