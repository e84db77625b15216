#include "core/pod_traffic.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "core/counting.h"
#include "core/series.h"

namespace scaledcache::core {
namespace {

struct Step {
  std::int64_t since_ms = 0;
  double rate = 0;
};

// Between the newest two values; a counter that fell began anew.
std::optional<Step> newest_step(const Series& series) {
  const Sample* newest = nullptr;
  for (auto at = series.samples.rbegin(); at != series.samples.rend(); ++at) {
    if (std::isnan(at->value)) {
      continue;
    }
    if (newest == nullptr) {
      newest = &*at;
      continue;
    }
    const auto took = static_cast<double>(newest->time_ms - at->time_ms);
    const double counted = newest->value >= at->value ? newest->value - at->value : newest->value;
    return took > 0 ? std::optional(Step{at->time_ms, counted * 1000 / took}) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::vector<PodTraffic> pod_traffic(const Question& question,
                                    std::span<const Series> series,
                                    std::span<const PodFacts> pods) {
  const ChosenSeries chosen =
      choose_series(series, pods, question.signal.pod_label, question.scrape_labels);
  const Milliseconds shift = clock_shift_of(question);
  std::map<int, PodTraffic> by_pod;
  for (const CountedSeries& one : chosen.series) {
    const auto step = one.pod < 0 ? std::nullopt : newest_step(*one.series);
    if (!step) {
      continue;
    }
    const WallTime since = WallTime{Milliseconds{step->since_ms}} - shift;
    const auto& name = pods[static_cast<std::size_t>(one.pod)].name;
    const auto [at, is_new] = by_pod.try_emplace(one.pod, PodTraffic{name, 0, since});
    at->second.rate += step->rate;
    at->second.since = std::min(at->second.since, since);
  }
  std::vector<PodTraffic> traffic;
  traffic.reserve(by_pod.size());
  for (auto& [pod, one] : by_pod) {
    traffic.push_back(std::move(one));
  }
  return traffic;
}

}  // namespace scaledcache::core
