#include "core/cache_starts.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "core/counting.h"
#include "core/series.h"

namespace scaledcache::core {
namespace {

constexpr double kLeft = 0.5;  // of a counter that fell

// The last value before the newest fall.
std::optional<std::int64_t> last_before_fall(const Series& series) {
  std::optional<std::int64_t> found;
  const Sample* before = nullptr;
  for (const Sample& sample : series.samples) {
    if (std::isnan(sample.value)) {
      continue;
    }
    if (before != nullptr && sample.value < kLeft * before->value) {
      found = before->time_ms;
    }
    before = &sample;
  }
  return found;
}

}  // namespace

std::map<std::string, WallTime> cache_starts(const Question& question,
                                             std::span<const Series> series,
                                             std::span<const PodFacts> pods) {
  const ChosenSeries chosen =
      choose_series(series, pods, question.signal.pod_label, question.scrape_labels);
  const Milliseconds shift = clock_shift_of(question);
  std::map<std::string, WallTime> starts;
  for (const CountedSeries& one : chosen.series) {
    const auto fell = one.pod < 0 ? std::nullopt : last_before_fall(*one.series);
    if (!fell) {
      continue;
    }
    const WallTime time = WallTime{Milliseconds{*fell}} - shift;
    const auto [at, is_new] =
        starts.try_emplace(pods[static_cast<std::size_t>(one.pod)].name, time);
    at->second = std::max(at->second, time);
  }
  return starts;
}

}  // namespace scaledcache::core
