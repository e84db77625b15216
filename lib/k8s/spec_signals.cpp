// Reads what is measured: signals, the baseline that shares their traffic, and the times at which
// the minimum is raised.
#include "base/zone.h"
#include "k8s/label_selector_text.h"
#include "k8s/spec_reader.h"

namespace scaledcache::k8s {
namespace {

CounterSpec read_counter(const Json& object, const std::string& path, Problems& problems) {
  CounterSpec counter;
  std::string matchers;
  ObjectReader reader(object, path, problems);
  reader.read("metric", counter.metric);
  reader.read("matchers", matchers);
  if (matchers.size() > kMaxMatchers) {
    reader.add_problem("matchers", "is longer than " + std::to_string(kMaxMatchers) + " bytes");
    return counter;
  }
  auto parsed = parse_label_matchers(matchers);
  if (parsed) {
    counter.matchers = *std::move(parsed);
  } else {
    reader.add_problem("matchers", "cannot be read: " + parsed.error().message);
  }
  reader.refuse_unknown();
  return counter;
}

core::Cron read_cron(ObjectReader& reader, std::string_view key) {
  const std::size_t longest = 128;
  const Json* field = reader.find(key);
  const std::string text = read_required(reader, key);
  if (field == nullptr || !field->is_string()) {
    return {};
  }
  if (text.size() > longest) {
    reader.add_problem(key, "is longer than " + std::to_string(longest) + " bytes");
    return {};
  }
  auto cron = core::parse_cron(text);
  if (!cron) {
    reader.add_problem(key, "cannot be read: " + cron.error().message);
    return {};
  }
  return *std::move(cron);
}

}  // namespace

SignalSpec read_signal(const Json& object, const std::string& path, Problems& problems) {
  SignalSpec signal;
  ObjectReader reader(object, path, problems);
  reader.read("name", signal.name);
  reader.read("preset", signal.preset);
  read_nested(reader, "counter", read_counter, signal.counter, problems);
  reader.read("query", signal.query);
  reader.read("ageQuery", signal.age_query);
  reader.read("includesBaseline", signal.includes_baseline);
  reader.read("podLabel", signal.pod_label);
  reader.read("namespaceLabel", signal.namespace_label);
  reader.require("requestsPerReplica");
  reader.read_quantity("requestsPerReplica", signal.requests_per_replica);
  reader.read("targetUtilizationPercent", signal.target_utilization_percent);
  reader.read_quantity("activationRate", signal.activation_rate);
  reader.read("saturationQuery", signal.saturation_query);
  reader.refuse_unknown();
  return signal;
}

BaselineSpec read_baseline(const Json& object, const std::string& path, Problems& problems) {
  BaselineSpec baseline;
  ObjectReader reader(object, path, problems);
  reader.require("selector");
  if (const Json* selector = reader.find("selector")) {
    baseline.selector = read_label_selector(*selector, reader.path_of("selector"), problems);
  }
  reader.require("requestsPerReplica");
  reader.read_quantity("requestsPerReplica", baseline.requests_per_replica);
  reader.refuse_unknown();
  return baseline;
}

core::Schedule read_schedule(const Json& object, const std::string& path, Problems& problems) {
  core::Schedule schedule;
  std::string zone = "UTC";
  ObjectReader reader(object, path, problems);
  schedule.start = read_cron(reader, "start");
  schedule.end = read_cron(reader, "end");
  reader.read("timeZone", zone);
  if (auto loaded = load_zone(zone)) {
    schedule.zone = *std::move(loaded);
  } else {
    reader.add_problem("timeZone", "cannot be used: " + loaded.error().message);
  }
  reader.require("minReplicas");
  reader.read("minReplicas", schedule.min_replicas);
  reader.refuse_unknown();
  return schedule;
}

}  // namespace scaledcache::k8s
