// Which series of an answer count: those of the target's pods, each once, and sound.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "core/observation.h"
#include "core/samples.h"

namespace scaledcache::core {

struct CountedSeries {
  const Series* series = nullptr;
  int pod = -1;                // index into the pods; -1 where samples cannot be mapped
  std::int64_t oldest_ms = 0;  // of its values
  std::int64_t newest_ms = 0;  // of its values
  bool ended = false;          // its last sample is a staleness marker
};

struct ChosenSeries {
  std::vector<CountedSeries> series;
  int foreign = 0;     // of pods that do not belong
  int duplicates = 0;  // the same traffic once more
  int bad = 0;         // with a ±Inf or negative sample
};

// `pod_label` empty: every series counts. The result points into `series`.
[[nodiscard]] ChosenSeries choose_series(std::span<const Series> series,
                                         std::span<const PodFacts> pods,
                                         std::string_view pod_label,
                                         std::span<const std::string> scrape_labels);

// The median distance between samples that follow each other; nothing where no series has two.
[[nodiscard]] std::optional<Milliseconds> learn_interval(std::span<const CountedSeries> series);

// The value of a label; empty where the series has none of that name.
[[nodiscard]] std::string_view label_of(const Series& series, std::string_view name);

// The label, other than `pod_label`, that names pods of the target; empty where there is none.
[[nodiscard]] std::string likely_pod_label(std::span<const Series> series,
                                           std::span<const PodFacts> pods);

// The names of all labels, sorted, each once.
[[nodiscard]] std::vector<std::string> label_names(std::span<const Series> series);

}  // namespace scaledcache::core
