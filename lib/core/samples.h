// What a backend's answer consists of, as plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scaledcache::core {

// `value` is NaN where the backend marked the end of the series (a staleness marker).
struct Sample {
  std::int64_t time_ms = 0;  // since 1970, by the backend's clock
  double value = 0;

  bool operator==(const Sample&) const = default;
};

struct Label {
  std::string name;
  std::string value;

  bool operator==(const Label&) const = default;
};

// Samples in the order of their times; labels in any order, each name once.
struct Series {
  std::vector<Label> labels;
  std::vector<Sample> samples;
};

}  // namespace scaledcache::core
