#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/rfc3339.h"
#include "sim/event_reader.h"
#include "sim/expect_reader.h"
#include "sim/load_reader.h"
#include "sim/policy_reader.h"
#include "sim/scenario.h"
#include "sim/trace.h"
#include "sim/value.h"

namespace scaledcache::sim {
namespace {

constexpr int kMostReplicas = 1'000'000;

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

// False when what a scenario cannot do without is missing.
bool check_keys(const Value& document) {
  constexpr std::array<const char*, 3> kRequired{"name", "policy", "load"};
  const auto is_there = [&](const char* key) { return document.has(key); };
  if (std::none_of(kRequired.begin(), kRequired.end(), is_there)) {
    document.fail("is no scenario: name, policy and load are required");
    return false;
  }
  for (const auto& [key, value] : document.entries()) {
    if (std::find(kScenarioKeys.begin(), kScenarioKeys.end(), key) == kScenarioKeys.end()) {
      report_unknown_key(document, key, value, kScenarioKeys);
    }
  }
  for (const char* key : kRequired) {
    if (!is_there(key)) {
      document.fail(std::string(key) + " is required");
    }
  }
  return std::all_of(kRequired.begin(), kRequired.end(), is_there);
}

void take_policy(ReadPolicy&& read, Scenario& scenario) {
  scenario.policy = std::move(read.policy);
  for (SignalQueries& queries : read.queries) {
    scenario.sources.push_back(
        {std::move(queries.saturation), queries.has_age, queries.shows_uptime});
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
  if (!check_keys(document)) {
    return scenario;
  }
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
  } catch (const std::ios_base::failure&) {
    return Error{ErrorCode::NotFound, path + ": cannot be read"};
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
