#include "prom/sample_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "http/ascii.h"

namespace scaledcache::prom {

std::optional<double> parse_number(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) {
      return std::nullopt;
    }
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::optional<std::int64_t> to_milliseconds(double seconds) {
  constexpr double kLatest = 253'402'300'800;  // the year 10000
  if (!(std::abs(seconds) < kLatest)) {
    return std::nullopt;
  }
  return std::llround(seconds * 1000);
}

// Thanos names the store that failed, or only its address behind "receive series from" and
// "receive any data from"; others speak of shards or of a partial response. Warnings about the
// query itself do not mean that data are missing.
bool tells_of_missing_data(std::string_view warning) {
  constexpr std::array<std::string_view, 5> kSigns{"store", "shard", "partial", "receive series",
                                                   "receive any data"};
  const std::string lower = http::to_lower(warning);
  return std::any_of(kSigns.begin(), kSigns.end(),
                     [&](std::string_view sign) { return lower.find(sign) != std::string::npos; });
}

// Stores answer in the order of time, but two replicas of a scraper can give one instant twice;
// then a value tells more than the end of a series.
void put_in_order(std::vector<core::Sample>& samples) {
  const auto not_later = [](const core::Sample& a, const core::Sample& b) {
    return a.time_ms >= b.time_ms;
  };
  if (std::adjacent_find(samples.begin(), samples.end(), not_later) == samples.end()) {
    return;
  }
  const auto earlier = [](const core::Sample& a, const core::Sample& b) {
    return std::pair(a.time_ms, std::isnan(a.value)) < std::pair(b.time_ms, std::isnan(b.value));
  };
  std::stable_sort(samples.begin(), samples.end(), earlier);
  const auto same_time = [](const core::Sample& a, const core::Sample& b) {
    return a.time_ms == b.time_ms;
  };
  samples.erase(std::unique(samples.begin(), samples.end(), same_time), samples.end());
}

}  // namespace scaledcache::prom
