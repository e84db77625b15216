#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/rfc3339.h"
#include "core/conditions.h"
#include "core/reason.h"
#include "sim/event_reader.h"
#include "sim/policy_reader.h"
#include "sim/scenario.h"
#include "sim/trace.h"
#include "sim/value.h"

namespace scaledcache::sim {
namespace {

constexpr int kMostReplicas = 1'000'000;

// What a document needs beside itself.
struct Place {
  std::string file;
  std::string traces;
  std::vector<MissingTrace> missing;
};

std::string beside(const std::string& file, const std::string& path) {
  const std::filesystem::path wanted(path);
  return wanted.is_absolute() ? path
                              : (std::filesystem::path(file).parent_path() / wanted).string();
}

std::string trace_path(const Place& place, const std::string& path) {
  std::string near = beside(place.file, path);
  if (std::filesystem::exists(near) || place.traces.empty()) {
    return near;
  }
  return (std::filesystem::path(place.traces) / std::filesystem::path(path).filename()).string();
}

constexpr std::array kWorldFields{
    FieldOf<World>{"replicas",
                   [](const Value& v, World& w) { w.replicas = v.integer(0, kMostReplicas); }},
    FieldOf<World>{"readyDelay", [](const Value& v, World& w) { w.ready_delay = v.span(); }},
    FieldOf<World>{"warmDelay", [](const Value& v, World& w) { w.warm_delay = v.span(); }},
    FieldOf<World>{"scrapeInterval",
                   [](const Value& v, World& w) {
                     w.scrape_interval = v.duration(Milliseconds{1'000}, std::chrono::hours{1});
                     if (w.scrape_interval.count() % 1000 != 0) {
                       v.fail("must be whole seconds");
                     }
                   }},
    FieldOf<World>{"scrapeOffsetPerPod",
                   [](const Value& v, World& w) {
                     constexpr std::array<std::string_view, 2> kNames{"spread", "none"};
                     w.spread_scrapes = v.one_of(kNames) == 0;
                   }},
    FieldOf<World>{"capacityPerReplica",
                   [](const Value& v, World& w) {
                     if (!v.is_null()) {
                       w.capacity = v.quantity();
                     }
                   }},
    FieldOf<World>{"seed",
                   [](const Value& v, World& w) {
                     w.seed = static_cast<std::uint64_t>(v.integer(0, 1'000'000'000));
                   }},
    FieldOf<World>{"startTime",
                   [](const Value& v, World& w) {
                     const auto time = parse_time(v.text());
                     if (!time) {
                       v.fail("must be a time such as 2026-01-01T00:00:00Z");
                     }
                     w.start = time.value_or(w.start);
                   }},
    FieldOf<World>{"baseline",
                   [](const Value& v, World& w) { w.baseline_pods = read_baseline_pods(v); }},
};

Noise read_noise(const Value& value) {
  if (value.node().IsScalar() && value.node().Scalar() == "poisson") {
    return {0, true};
  }
  return {value.percent(), false};
}

constexpr std::array kPointFields{
    FieldOf<LoadPoint>{"at", [](const Value& v, LoadPoint& p) { p.at = v.span(); }},
    FieldOf<LoadPoint>{"rate", [](const Value& v, LoadPoint& p) { p.rate = v.quantity(); }},
    FieldOf<LoadPoint>{"noise", [](const Value& v, LoadPoint& p) { p.noise = read_noise(v); }},
    FieldOf<LoadPoint>{"ramp", [](const Value& v, LoadPoint& p) { p.ramp = v.boolean(); }},
};

Load read_points(const Value& value) {
  Load load;
  for (const Value& item : value.items()) {
    LoadPoint point;
    read_map(item, kPointFields, point);
    for (const char* key : {"at", "rate"}) {
      if (!item.has(key)) {
        item.fail(std::string(key) + " is required");
      }
    }
    if (!load.points.empty() && point.at <= load.points.back().at) {
      item.fail("must be later than the point before");
    }
    load.points.push_back(point);
  }
  if (load.points.empty()) {
    value.fail("needs at least one point");
    load.points.push_back({});
  }
  return load;
}

struct TraceFields {
  TraceSource source;
  Noise noise;
};

constexpr std::array kTraceFields{
    FieldOf<TraceFields>{"trace", [](const Value& v, TraceFields& t) { t.source.path = v.text(); }},
    FieldOf<TraceFields>{"column",
                         [](const Value& v, TraceFields& t) { t.source.column = v.text(); }},
    FieldOf<TraceFields>{"step", [](const Value& v, TraceFields& t) { t.source.step = v.span(); }},
    FieldOf<TraceFields>{"per", [](const Value& v, TraceFields& t) { t.source.per = v.span(); }},
    FieldOf<TraceFields>{"skip", [](const Value& v, TraceFields& t) { t.source.skip = v.span(); }},
    FieldOf<TraceFields>{
        "peakReplicas",
        [](const Value& v, TraceFields& t) { t.source.peak_replicas = v.quantity(); }},
    FieldOf<TraceFields>{"noise", [](const Value& v, TraceFields& t) { t.noise = read_noise(v); }},
};

Load read_load(const Value& value, double q, Place& place, const std::string& name) {
  if (value.is_list()) {
    return read_points(value);
  }
  TraceFields fields;
  read_map(value, kTraceFields, fields);
  Load load;
  load.points.push_back({});
  if (fields.source.path.empty()) {
    value.fail("needs a list of points, or a trace");
    return load;
  }
  fields.source.path = trace_path(place, fields.source.path);
  Result<Load> read = load_of(fields.source, q);
  if (!read && read.error().code == ErrorCode::NotFound) {
    place.missing.push_back({name, fields.source.path});
    return load;
  }
  if (!read) {
    value.fail(read.error().message);
    return load;
  }
  read->trace_noise = fields.noise;
  return *std::move(read);
}

void read_loads(const Value& value, Scenario& scenario, Place& place) {
  const auto& signals = scenario.policy.signals;
  const bool by_signal = value.is_map() && !value.has("trace");
  for (const core::SignalPolicy& signal : signals) {
    if (!by_signal) {
      scenario.loads.push_back(read_load(value, signal.q(), place, scenario.name));
    } else if (value.has(signal.name)) {
      scenario.loads.push_back(read_load(value.at(signal.name), signal.q(), place, scenario.name));
    } else {
      value.fail("has no load for the signal " + signal.name);
      scenario.loads.push_back(Load{{LoadPoint{}}, {}, {}, {}, {}});
    }
  }
  if (by_signal) {
    std::vector<std::string_view> names;
    names.reserve(signals.size());
    for (const core::SignalPolicy& signal : signals) {
      names.emplace_back(signal.name);
    }
    for (const auto& [key, load] : value.entries()) {
      if (std::find(names.begin(), names.end(), key) == names.end()) {
        report_unknown_key(value, key, load, names);
      }
    }
  }
}

Range read_range(const Value& value) {
  if (!value.is_map()) {
    const double exact = value.number();
    return {exact, exact};
  }
  constexpr std::array kFields{
      FieldOf<Range>{"min", [](const Value& v, Range& r) { r.least = v.number(); }},
      FieldOf<Range>{"max", [](const Value& v, Range& r) { r.most = v.number(); }},
  };
  Range range;
  read_map(value, kFields, range);
  return range;
}

void read_reason(const Value& value, Expectation& expectation) {
  std::vector<std::string_view> names;
  names.reserve(core::kAllReasons.size());
  for (const core::Reason reason : core::kAllReasons) {
    names.push_back(core::name_of(reason));
  }
  expectation.reason = std::string(names[value.one_of(names)]);
}

void read_condition(const Value& value, Expectation& expectation) {
  constexpr std::array<std::string_view, 6> kNames{"MetricsReady", "Active", "ScalingLimited",
                                                   "Fallback",     "Paused", "Contested"};
  expectation.condition = std::string(kNames.at(value.one_of(kNames)));
}

void read_status(const Value& value, Expectation& expectation) {
  constexpr std::array<std::string_view, 3> kNames{"False", "True", "Unknown"};
  expectation.status = std::string(kNames.at(value.one_of(kNames)));
}

constexpr std::array kExpectFields{
    FieldOf<Expectation>{"at", [](const Value& v, Expectation& e) { e.from = e.to = v.span(); }},
    FieldOf<Expectation>{"from", [](const Value& v, Expectation& e) { e.from = v.span(); }},
    FieldOf<Expectation>{"to", [](const Value& v, Expectation& e) { e.to = v.span(); }},
    FieldOf<Expectation>{"replicas",
                         [](const Value& v, Expectation& e) { e.replicas = read_range(v); }},
    FieldOf<Expectation>{"reason", read_reason},
    FieldOf<Expectation>{"condition", read_condition},
    FieldOf<Expectation>{"status", read_status},
    FieldOf<Expectation>{"changes",
                         [](const Value& v, Expectation& e) { e.changes = read_range(v); }},
    FieldOf<Expectation>{"reversals",
                         [](const Value& v, Expectation& e) { e.reversals = read_range(v); }},
    FieldOf<Expectation>{"unserved",
                         [](const Value& v, Expectation& e) { e.unserved = read_range(v); }},
    FieldOf<Expectation>{"under", [](const Value& v, Expectation& e) { e.under = read_range(v); }},
    FieldOf<Expectation>{"over", [](const Value& v, Expectation& e) { e.over = read_range(v); }},
    FieldOf<Expectation>{"cost", [](const Value& v, Expectation& e) { e.cost = read_range(v); }},
};

constexpr Milliseconds kOpenEnd{-1};  // an expectation over the whole run

void read_expectations(const Value& value, Scenario& scenario) {
  for (const Value& item : value.items()) {
    Expectation expectation;
    expectation.to = kOpenEnd;
    expectation.line = item.line();
    expectation.text = item.flow();
    read_map(item, kExpectFields, expectation);
    if (item.has("at") && (item.has("from") || item.has("to"))) {
      item.fail("has both an instant (at) and a time (from, to)");
    }
    if (item.has("from") != item.has("to")) {
      item.fail("needs from and to together");
    }
    if (item.has("condition") != item.has("status")) {
      item.fail("needs condition and status together");
    }
    if (expectation.to != kOpenEnd && expectation.to < expectation.from) {
      item.fail("ends before it begins");
    }
    scenario.expectations.push_back(std::move(expectation));
  }
}

// The last time that the file names, plus one long window.
Milliseconds default_end(const Scenario& scenario) {
  Milliseconds last{0};
  for (const Load& load : scenario.loads) {
    last = std::max(last, load.points.empty() ? last : load.points.back().at);
  }
  for (const Fault& fault : scenario.faults) {
    last = std::max(last, fault.to);
  }
  for (const Event& event : scenario.events) {
    last = std::max(last, event.at + (event.rollout ? event.rollout->duration : Milliseconds{0}));
  }
  for (const Expectation& expectation : scenario.expectations) {
    last = std::max(last, expectation.to);
  }
  return last + scenario.policy.long_window;
}

// `{file: manifest}`: its .spec, or the whole file where it has none. Undefined where unreadable.
YAML::Node policy_node(const Value& value, const Place& place) {
  if (!value.has("file")) {
    return value.node();
  }
  const std::string path = beside(place.file, value.at("file").text());
  try {
    const YAML::Node manifest = YAML::LoadFile(path);
    return manifest.IsMap() && manifest["spec"].IsDefined() ? manifest["spec"] : manifest;
  } catch (const YAML::Exception& error) {
    value.at("file").fail(path + ": " + error.what());
    return YAML::Node(YAML::NodeType::Map);
  }
}

constexpr std::array<std::string_view, 9> kScenarioKeys{
    "name", "description", "source", "policy", "world", "load", "events", "expect", "end"};

void check_keys(const Value& document) {
  for (const auto& [key, value] : document.entries()) {
    if (std::find(kScenarioKeys.begin(), kScenarioKeys.end(), key) == kScenarioKeys.end()) {
      report_unknown_key(document, key, value, kScenarioKeys);
    }
  }
  for (const char* key : {"name", "policy", "load"}) {
    if (!document.has(key)) {
      document.fail(std::string(key) + " is required");
    }
  }
}

void take_policy(ReadPolicy&& read, Scenario& scenario) {
  scenario.policy = std::move(read.policy);
  for (SignalQueries& queries : read.queries) {
    scenario.sources.push_back({std::move(queries.saturation), queries.has_age});
  }
}

Scenario read_scenario(const Value& document, Problems& problems, Place& place) {
  Scenario scenario;
  scenario.file = place.file;
  scenario.line = document.line();
  if (!document.is_map()) {
    document.fail("a scenario is a map");
    return scenario;
  }
  check_keys(document);
  scenario.name = document.has("name") ? document.at("name").text() : "";
  const YAML::Node spec = policy_node(document.at("policy"), place);
  take_policy(read_policy(Value(spec, "policy", problems)), scenario);
  scenario.world.replicas = std::max(scenario.policy.min_replicas, 0);
  if (document.has("world")) {
    read_map(document.at("world"), kWorldFields, scenario.world);
  }
  if (document.has("load")) {
    read_loads(document.at("load"), scenario, place);
  }
  if (document.has("events")) {
    read_events(document.at("events"), spec, problems, scenario);
  }
  if (document.has("expect")) {
    read_expectations(document.at("expect"), scenario);
  }
  scenario.end = document.has("end") ? document.at("end").span() : default_end(scenario);
  for (Expectation& expectation : scenario.expectations) {
    expectation.to = expectation.to == kOpenEnd ? scenario.end : expectation.to;
    if (expectation.to > scenario.end) {
      problems.add(expectation.line, "expect", "is later than the end of the scenario");
    }
  }
  return scenario;
}

Error as_error(const Problems& problems) {
  std::string message;
  for (const std::string& problem : problems.all()) {
    message += (message.empty() ? "" : "\n") + problem;
  }
  return Error{ErrorCode::Invalid, message};
}

Result<std::vector<YAML::Node>> load_documents(const std::string& path) {
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path)) {
    return Error{ErrorCode::NotFound, path + ": cannot be read"};
  }
  try {
    return YAML::LoadAll(file);
  } catch (const YAML::Exception& error) {
    return Error{ErrorCode::Invalid,
                 path + ":" + std::to_string(error.mark.line + 1) + ": " + error.msg};
  }
}

}  // namespace

Result<ScenarioFile> read_scenarios(const std::string& path, const std::string& traces) {
  const Result<std::vector<YAML::Node>> documents = load_documents(path);
  if (!documents) {
    return documents.error();
  }
  Problems problems(path);
  ScenarioFile file;
  for (const YAML::Node& node : *documents) {
    if (node.IsNull()) {
      continue;
    }
    Place place{path, traces, {}};
    Scenario scenario = read_scenario(Value(node, "", problems), problems, place);
    if (place.missing.empty()) {
      file.scenarios.push_back(std::move(scenario));
    } else {
      file.missing.push_back(place.missing.front());
    }
  }
  if (problems.all().empty() && file.scenarios.empty() && file.missing.empty()) {
    problems.add(1, "", "holds no scenario");
  }
  if (!problems.all().empty()) {
    return as_error(problems);
  }
  return file;
}

Result<Scenario> scenario_of(const std::string& manifest, const TraceSource& trace) {
  const Result<std::vector<YAML::Node>> documents = load_documents(manifest);
  if (!documents) {
    return documents.error();
  }
  Problems problems(manifest);
  if (documents->empty()) {
    problems.add(1, "", "holds no manifest");
    return as_error(problems);
  }
  const YAML::Node node = documents->front();
  const bool whole = node.IsMap() && node["spec"].IsDefined();
  Scenario scenario;
  scenario.file = manifest;
  scenario.name = manifest + " on " + trace.path;
  take_policy(read_policy(Value(whole ? node["spec"] : node, whole ? "spec" : "", problems)),
              scenario);
  if (!problems.all().empty()) {
    return as_error(problems);
  }
  const double q = scenario.policy.signals.front().q();
  Result<Load> load = load_of(trace, q);
  if (!load) {
    return load.error();
  }
  load->trace_noise.poisson = true;
  const double first = load->trace.front();
  scenario.end = load->step * static_cast<std::int64_t>(load->trace.size() - 1) - load->skip;
  if (scenario.end.count() <= 0) {
    return Error{ErrorCode::Invalid, trace.path + ": skip: leaves nothing of the trace"};
  }
  scenario.world.replicas = std::clamp(static_cast<int>(std::min(first / q + 1, 1e6)),
                                       std::max(1, scenario.policy.min_replicas),
                                       std::max(1, scenario.policy.max_replicas));
  scenario.loads.assign(scenario.policy.signals.size(), *load);
  return scenario;
}

}  // namespace scaledcache::sim
