#include "controller/page_json.h"

#include <cmath>

namespace scaledcache::controller {
namespace {

std::int64_t unix_ms(WallTime time) {
  return time.time_since_epoch().count();
}

// Three digits behind the point are more than anybody reads, and a third of the bytes.
Json rounded(double value) {
  return std::isfinite(value) ? Json(std::round(value * 1000) / 1000) : Json();
}

Json signal_json(const PageSignal& signal) {
  Json json{{"name", signal.name},
            {"health", signal.health},
            {"problem", signal.problem},
            {"rate", rounded(signal.rate)},
            {"peak", rounded(signal.peak)},
            {"perReplica", rounded(signal.q)},
            {"wish", signal.wish},
            {"saturated", signal.saturated},
            {"coverage", rounded(signal.coverage)}};
  if (signal.sample_age) {
    json["sampleAgeMs"] = signal.sample_age->count();
  }
  return json;
}

Json pods_json(const std::vector<k8s::PodStatus>& pods) {
  Json list = Json::array();
  for (const k8s::PodStatus& pod : pods) {
    Json json{{"name", pod.name}, {"state", pod.state}, {"message", pod.message}};
    if (pod.hit_percent) {
      json["hitPercent"] = *pod.hit_percent;
    }
    if (pod.seconds) {
      json["seconds"] = rounded(*pod.seconds);
    }
    list.push_back(std::move(json));
  }
  return list;
}

Json conditions_json(const std::vector<k8s::Condition>& conditions) {
  Json list = Json::array();
  for (const k8s::Condition& condition : conditions) {
    list.push_back({{"type", condition.type},
                    {"status", k8s::name_of(condition.status)},
                    {"reason", condition.reason},
                    {"message", condition.message},
                    {"since", unix_ms(condition.last_transition)}});
  }
  return list;
}

Json decisions_json(const std::vector<PageDecision>& decisions) {
  Json list = Json::array();
  for (const PageDecision& decision : decisions) {
    list.push_back({{"since", unix_ms(decision.since)},
                    {"from", decision.from},
                    {"to", decision.to},
                    {"reason", decision.reason},
                    {"sentence", decision.sentence}});
  }
  return list;
}

// One array for each column: half the bytes of one object for each point.
Json points_json(const std::vector<PagePoint>& points) {
  Json columns;
  for (const char* name : {"second", "rate", "peak", "perReplica", "replicas", "serving"}) {
    columns[name] = Json::array();
  }
  for (const PagePoint& point : points) {
    columns["second"].push_back(point.second);
    columns["rate"].push_back(rounded(static_cast<double>(point.rate)));
    columns["peak"].push_back(rounded(static_cast<double>(point.peak)));
    columns["perReplica"].push_back(rounded(static_cast<double>(point.q)));
    columns["replicas"].push_back(point.replicas);
    columns["serving"].push_back(point.serving);
  }
  return columns;
}

}  // namespace

Json page_row(const PageCache& cache) {
  Json row{{"key", cache.key()},
           {"target", cache.target},
           {"min", cache.min_replicas},
           {"max", cache.max_replicas},
           {"replicas", cache.replicas},
           {"desired", cache.desired},
           {"ready", cache.ready},
           {"warm", cache.warm},
           {"warming", cache.warming},
           {"draining", cache.draining},
           {"gated", cache.gated},
           {"standing", name_of(cache.standing)},
           {"reason", cache.reason},
           {"sentence", cache.sentence},
           {"looked", unix_ms(cache.looked)}};
  if (!cache.signals.empty()) {
    row["rate"] = rounded(cache.signals.front().rate);
    row["perReplica"] = rounded(cache.signals.front().q);
  }
  return row;
}

Json page_detail(const PageDetail& detail) {
  const PageCache& cache = *detail.cache;
  Json json = page_row(cache);
  json["shortWindowMs"] = cache.short_window.count();
  json["longWindowMs"] = cache.long_window.count();
  json["pods"] = pods_json(cache.pods);
  json["conditions"] = conditions_json(cache.conditions);
  json["decisions"] = decisions_json(detail.decisions);
  json["points"] = points_json(detail.points);
  Json signals = Json::array();
  for (const PageSignal& signal : cache.signals) {
    signals.push_back(signal_json(signal));
  }
  json["signals"] = std::move(signals);
  return json;
}

std::string page_event(std::string_view name, const PageHead& head, const PageChanges& changes) {
  Json rows = Json::array();
  for (const auto& cache : changes.caches) {
    rows.push_back(page_row(*cache));
  }
  const Json data{{"version", head.version},  {"instance", head.instance}, {"leads", head.leads},
                  {"now", unix_ms(head.now)}, {"rows", std::move(rows)},   {"gone", changes.gone}};
  return "event: " + std::string(name) + "\ndata: " + dump_json(data) + "\n\n";
}

}  // namespace scaledcache::controller
