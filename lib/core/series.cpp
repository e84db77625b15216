#include "core/series.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <unordered_map>

namespace scaledcache::core {
namespace {

using PodIndex = std::unordered_map<std::string_view, int>;

PodIndex index_pods(std::span<const PodFacts> pods) {
  PodIndex index;
  index.reserve(pods.size());
  for (std::size_t i = 0; i < pods.size(); ++i) {
    if (pods[i].belongs || pods[i].baseline) {
      index.emplace(pods[i].name, static_cast<int>(i));
    }
  }
  return index;
}

enum class Soundness { Sound, Bad, Empty };

// Finds the first and last value; a marker (NaN) is no value.
Soundness examine(CountedSeries& counted) {
  bool any = false;
  for (const Sample& sample : counted.series->samples) {
    counted.ended = std::isnan(sample.value);
    if (counted.ended) {
      continue;
    }
    if (sample.value < 0 || std::isinf(sample.value)) {
      return Soundness::Bad;
    }
    if (!any) {
      counted.oldest_ms = sample.time_ms;
      any = true;
    }
    counted.newest_ms = sample.time_ms;
  }
  return any ? Soundness::Sound : Soundness::Empty;
}

bool is_scrape_label(std::string_view name, std::span<const std::string> scrape_labels) {
  return std::any_of(scrape_labels.begin(), scrape_labels.end(),
                     [&](const std::string& label) { return label == name; });
}

// The same for any order of labels.
std::size_t identity_of(const Series& series, std::span<const std::string> scrape_labels) {
  std::size_t sum = 0;
  for (const Label& label : series.labels) {
    if (!is_scrape_label(label.name, scrape_labels)) {
      const std::size_t name = std::hash<std::string_view>{}(label.name);
      sum += std::hash<std::string_view>{}(label.value) ^ (name * 0x9e3779b97f4a7c15U);
    }
  }
  return sum;
}

bool same_identity(const Series& a, const Series& b, std::span<const std::string> scrape_labels) {
  const auto covered = [&](const Series& one, const Series& other) {
    return std::all_of(one.labels.begin(), one.labels.end(), [&](const Label& label) {
      return is_scrape_label(label.name, scrape_labels) ||
             label_of(other, label.name) == label.value;
    });
  };
  return covered(a, b) && covered(b, a);
}

// The last value at or before `time_ms`; the first value where there is none.
double value_at(const Series& series, std::int64_t time_ms) {
  double value = std::numeric_limits<double>::quiet_NaN();
  for (const Sample& sample : series.samples) {
    if (std::isnan(sample.value)) {
      continue;
    }
    if (sample.time_ms > time_ms && !std::isnan(value)) {
      break;
    }
    value = sample.value;
  }
  return value;
}

// Two scrapes of one counter: the newer value is no smaller, and ahead by no more than that series
// itself counted in the meantime.
bool agree(const CountedSeries& a, const CountedSeries& b) {
  const CountedSeries& older = a.newest_ms <= b.newest_ms ? a : b;
  const CountedSeries& newer = a.newest_ms <= b.newest_ms ? b : a;
  const double from = value_at(*older.series, older.newest_ms);
  const double to = value_at(*newer.series, newer.newest_ms);
  const double meantime = to - value_at(*newer.series, older.newest_ms);
  return to >= from && to - from <= meantime;
}

// More samples, then the fresher.
bool better(const CountedSeries& a, const CountedSeries& b) {
  if (a.series->samples.size() != b.series->samples.size()) {
    return a.series->samples.size() > b.series->samples.size();
  }
  return a.newest_ms > b.newest_ms;
}

void drop_duplicates(ChosenSeries& chosen, std::span<const std::string> scrape_labels) {
  std::unordered_multimap<std::size_t, std::size_t> kept_by_identity;
  kept_by_identity.reserve(chosen.series.size());
  std::vector<CountedSeries> kept;
  kept.reserve(chosen.series.size());
  for (const CountedSeries& candidate : chosen.series) {
    const std::size_t identity = identity_of(*candidate.series, scrape_labels);
    const auto [first, last] = kept_by_identity.equal_range(identity);
    const auto twin = std::find_if(first, last, [&](const auto& entry) {
      const CountedSeries& other = kept[entry.second];
      return same_identity(*candidate.series, *other.series, scrape_labels) &&
             agree(candidate, other);
    });
    if (twin == last) {
      kept_by_identity.emplace(identity, kept.size());
      kept.push_back(candidate);
      continue;
    }
    ++chosen.duplicates;
    if (better(candidate, kept[twin->second])) {
      kept[twin->second] = candidate;
    }
  }
  chosen.series = std::move(kept);
}

bool names_a_pod(const Label& label, const PodFacts& pod) {
  if (label.value == pod.name) {
    return true;
  }
  return !pod.address.empty() && label.value.starts_with(pod.address) &&
         (label.value.size() == pod.address.size() || label.value[pod.address.size()] == ':');
}

}  // namespace

ChosenSeries choose_series(std::span<const Series> series,
                           std::span<const PodFacts> pods,
                           std::string_view pod_label,
                           std::span<const std::string> scrape_labels) {
  ChosenSeries chosen;
  chosen.series.reserve(series.size());
  const PodIndex index = index_pods(pods);
  for (const Series& one : series) {
    CountedSeries counted{&one};
    if (!pod_label.empty()) {
      const auto pod = index.find(label_of(one, pod_label));
      if (pod == index.end()) {
        ++chosen.foreign;
        continue;
      }
      counted.pod = pod->second;
    }
    const Soundness soundness = examine(counted);
    if (soundness == Soundness::Bad) {
      ++chosen.bad;
    } else if (soundness == Soundness::Sound) {
      chosen.series.push_back(counted);
    }
  }
  drop_duplicates(chosen, scrape_labels);
  return chosen;
}

std::optional<Milliseconds> learn_interval(std::span<const CountedSeries> series) {
  constexpr std::size_t kEnough = 512;
  std::vector<std::int64_t> distances;
  distances.reserve(kEnough);
  for (const CountedSeries& counted : series) {
    const std::vector<Sample>& samples = counted.series->samples;
    for (std::size_t i = 1; i < samples.size() && distances.size() < kEnough; ++i) {
      distances.push_back(samples[i].time_ms - samples[i - 1].time_ms);
    }
  }
  if (distances.empty()) {
    return std::nullopt;
  }
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return Milliseconds{std::max<std::int64_t>(1, *middle)};
}

std::string_view label_of(const Series& series, std::string_view name) {
  for (const Label& label : series.labels) {
    if (label.name == name) {
      return label.value;
    }
  }
  return {};
}

std::string likely_pod_label(std::span<const Series> series, std::span<const PodFacts> pods) {
  for (const Series& one : series) {
    for (const Label& label : one.labels) {
      const bool names_one = std::any_of(pods.begin(), pods.end(), [&](const PodFacts& pod) {
        return pod.belongs && names_a_pod(label, pod);
      });
      if (names_one) {
        return label.name;
      }
    }
  }
  return {};
}

std::vector<std::string> label_names(std::span<const Series> series) {
  std::vector<std::string> names;
  for (const Series& one : series) {
    for (const Label& label : one.labels) {
      if (std::find(names.begin(), names.end(), label.name) == names.end()) {
        names.push_back(label.name);
      }
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace scaledcache::core
