#include "sim/event_reader.h"

#include <algorithm>
#include <array>

#include "sim/policy_reader.h"

namespace scaledcache::sim {
namespace {

constexpr int kMostPods = 1'000'000;

struct NamedFault {
  std::string_view name;
  FaultKind kind;
};

constexpr std::array kPlainFaults{
    NamedFault{"empty", FaultKind::Empty},
    NamedFault{"nan", FaultKind::NotANumber},
    NamedFault{"+inf", FaultKind::PlusInfinity},
    NamedFault{"-inf", FaultKind::MinusInfinity},
    NamedFault{"negative", FaultKind::Negative},
    NamedFault{"zero", FaultKind::Zero},
    NamedFault{"huge", FaultKind::Huge},
    NamedFault{"garbage", FaultKind::Garbage},
    NamedFault{"two-series", FaultKind::TwoSeries},
    NamedFault{"string", FaultKind::Text},
    NamedFault{"matrix", FaultKind::Matrix},
    NamedFault{"status-error", FaultKind::StatusError},
    NamedFault{"http-400", FaultKind::Http400},
    NamedFault{"http-503", FaultKind::Http503},
    NamedFault{"refused", FaultKind::Refused},
    NamedFault{"timeout", FaultKind::Timeout},
    NamedFault{"stale", FaultKind::Stale},
    NamedFault{"frozen", FaultKind::Frozen},
    NamedFault{"duplicate", FaultKind::Duplicate},
    NamedFault{"stale-marker", FaultKind::StaleMarker},
};

// One entry of the list, while it is read.
struct Entry {
  Event event;
  std::vector<Fault> faults;
  bool timed = false;    // has from and to
  bool instant = false;  // something that happens at once
  Milliseconds from{0};
  Milliseconds to{0};
  std::string signal;
  YAML::Node edit{YAML::NodeType::Undefined};
  std::string edit_path;
  int edit_line = 0;
};

double share_of(const Value& value) {
  const double share = value.number();
  if (share < 0 || share > 1) {
    value.fail("must be a share from 0 to 1");
  }
  return std::clamp(share, 0.0, 1.0);
}

constexpr std::array kMetricFields{
    FieldOf<Entry>{"partial",
                   [](const Value& v, Entry& e) {
                     e.faults.push_back({{}, {}, FaultKind::Partial, share_of(v), {}, {}});
                   }},
    FieldOf<Entry>{"clock",
                   [](const Value& v, Entry& e) {
                     e.faults.push_back({{}, {}, FaultKind::Clock, 0, v.span(), {}});
                   }},
    FieldOf<Entry>{"delay",
                   [](const Value& v, Entry& e) {
                     e.faults.push_back({{}, {}, FaultKind::Delay, 0, v.span(), {}});
                   }},
};

void read_metrics(const Value& value, Entry& entry) {
  if (value.is_map()) {
    read_map(value, kMetricFields, entry);
    return;
  }
  if (value.node().IsScalar() && value.node().Scalar() == "reset") {
    entry.event.reset = true;
    entry.instant = true;
    return;
  }
  std::vector<std::string_view> names{"reset"};
  for (const NamedFault& fault : kPlainFaults) {
    names.push_back(fault.name);
  }
  const std::size_t found = value.one_of(names);
  if (found > 0) {
    entry.faults.push_back({{}, {}, kPlainFaults.at(found - 1).kind, 0, {}, {}});
  }
}

void read_pods(const Value& value, Entry& entry) {
  constexpr std::array<std::string_view, 2> kNames{"unready", "crash"};
  if (value.one_of(kNames) == 0) {
    entry.faults.push_back({{}, {}, FaultKind::Unready, 0, {}, {}});
  } else {
    entry.event.crash = true;
    entry.instant = true;
  }
}

void read_rollout(const Value& value, Entry& entry) {
  constexpr std::array kFields{
      FieldOf<RolloutPlan>{"surge", [](const Value& v, RolloutPlan& r) { r.surge = v.percent(); }},
      FieldOf<RolloutPlan>{"duration",
                           [](const Value& v, RolloutPlan& r) { r.duration = v.span(); }},
  };
  RolloutPlan plan;
  read_map(value, kFields, plan);
  entry.event.rollout = plan;
  entry.instant = true;
}

void read_annotations(const Value& value, Entry& entry) {
  constexpr std::array<std::string_view, 5> kNames{
      "scaledcache.io/paused", "scaledcache.io/paused-replicas", "scaledcache.io/paused-scale-up",
      "scaledcache.io/paused-scale-down", "scaledcache.io/force-activation"};
  for (const auto& [key, text] : value.entries()) {
    if (std::find(kNames.begin(), kNames.end(), key) == kNames.end()) {
      report_unknown_key(value, key, text, kNames);
    } else if (text.is_null()) {
      entry.event.annotations.push_back({key, std::nullopt});
    } else {
      entry.event.annotations.push_back({key, text.text()});
    }
  }
  entry.instant = true;
}

void read_set(const Value& value, Entry& entry) {
  constexpr std::array kFields{FieldOf<Entry>{
      "replicas", [](const Value& v, Entry& e) { e.event.replicas = v.integer(0, kMostPods); }}};
  read_map(value, kFields, entry);
  entry.instant = true;
}

void read_restart(const Value& value, Entry& entry) {
  constexpr std::array<std::string_view, 1> kNames{"operator"};
  static_cast<void>(value.one_of(kNames));
  entry.event.restart = true;
  entry.instant = true;
}

template <FaultKind kind>
void read_count(const Value& value, Entry& entry) {
  entry.faults.push_back({{}, {}, kind, static_cast<double>(value.integer(0, kMostPods)), {}, {}});
}

constexpr std::array kFields{
    FieldOf<Entry>{"at", [](const Value& v, Entry& e) { e.event.at = v.span(); }},
    FieldOf<Entry>{"from", [](const Value& v, Entry& e) { e.from = v.span(); }},
    FieldOf<Entry>{"to", [](const Value& v, Entry& e) { e.to = v.span(); }},
    FieldOf<Entry>{"signal", [](const Value& v, Entry& e) { e.signal = v.text(); }},
    FieldOf<Entry>{"metrics", read_metrics},
    FieldOf<Entry>{"pods", read_pods},
    FieldOf<Entry>{"rollout", read_rollout},
    FieldOf<Entry>{"failed", read_count<FaultKind::Failed>},
    FieldOf<Entry>{"terminating", read_count<FaultKind::Terminating>},
    FieldOf<Entry>{"succeeded", read_count<FaultKind::Succeeded>},
    FieldOf<Entry>{"rejects",
                   [](const Value& v, Entry& e) {
                     e.faults.push_back({{}, {}, FaultKind::Rejects, v.quantity(), {}, {}});
                   }},
    FieldOf<Entry>{"set", read_set},
    FieldOf<Entry>{"restart", read_restart},
    FieldOf<Entry>{"policy",
                   [](const Value& v, Entry& e) {
                     e.edit.reset(v.node());
                     e.edit_path = v.path();
                     e.edit_line = v.line();
                     e.instant = true;
                   }},
    FieldOf<Entry>{"annotate", read_annotations},
    FieldOf<Entry>{"baseline",
                   [](const Value& v, Entry& e) {
                     e.event.baseline_pods = read_baseline_pods(v);
                     e.instant = true;
                   }},
};

void check_times(const Value& item, const Entry& entry) {
  if (!entry.faults.empty() && !(item.has("from") && item.has("to"))) {
    item.fail("lasts, so it needs from and to");
  }
  if (entry.instant && !item.has("at")) {
    item.fail("happens at once, so it needs at");
  }
  if (entry.faults.empty() && !entry.instant) {
    item.fail("names nothing that happens");
  }
  if (entry.to < entry.from) {
    item.fail("ends before it begins");
  }
}

}  // namespace

int read_baseline_pods(const Value& value) {
  constexpr std::array kPodFields{
      FieldOf<int>{"pods", [](const Value& v, int& pods) { pods = v.integer(0, kMostPods); }}};
  int pods = 0;
  read_map(value, kPodFields, pods);
  return pods;
}

void read_events(const Value& value,
                 const YAML::Node& spec,
                 Problems& problems,
                 Scenario& scenario) {
  YAML::Node current = YAML::Clone(spec);
  std::vector<std::string_view> names;
  for (const core::SignalPolicy& signal : scenario.policy.signals) {
    names.emplace_back(signal.name);
  }
  for (const Value& item : value.items()) {
    Entry entry;
    read_map(item, kFields, entry);
    check_times(item, entry);
    if (!entry.signal.empty()) {
      static_cast<void>(item.at("signal").one_of(names));
    }
    for (Fault& fault : entry.faults) {
      fault.from = entry.from;
      fault.to = entry.to;
      fault.signal = entry.signal;
      scenario.faults.push_back(fault);
    }
    if (entry.edit.IsDefined()) {
      current = merged(current, entry.edit);
      Problems edited(problems.file());
      entry.event.policy = read_policy(Value(current, "", edited)).policy;
      for (const std::string& problem : edited.all()) {
        const std::size_t text = problem.find(": ");
        problems.add(entry.edit_line, entry.edit_path, problem.substr(text + 2));
      }
    }
    if (entry.instant) {
      scenario.events.push_back(std::move(entry.event));
    }
  }
  std::stable_sort(scenario.events.begin(), scenario.events.end(),
                   [](const Event& a, const Event& b) { return a.at < b.at; });
}

}  // namespace scaledcache::sim
