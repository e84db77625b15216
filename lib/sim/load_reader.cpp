#include "sim/load_reader.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "sim/trace.h"

namespace scaledcache::sim {
namespace {

std::string trace_path(const Place& place, const std::string& path) {
  std::string near = beside(place.file, path);
  if (std::filesystem::exists(near) || place.traces.empty()) {
    return near;
  }
  return (std::filesystem::path(place.traces) / std::filesystem::path(path).filename()).string();
}

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

}  // namespace

std::string beside(const std::string& file, const std::string& path) {
  const std::filesystem::path wanted(path);
  return wanted.is_absolute() ? path
                              : (std::filesystem::path(file).parent_path() / wanted).string();
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

}  // namespace scaledcache::sim
