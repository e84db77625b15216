#include "core/pulse.h"

#include <cmath>
#include <optional>

namespace scaledcache::core {
namespace {

// Nothing where the series has no two numbers to compare.
std::optional<bool> has_moved(const Series& series) {
  const Sample* newest = nullptr;
  for (auto sample = series.samples.rbegin(); sample != series.samples.rend(); ++sample) {
    if (std::isnan(sample->value)) {
      continue;
    }
    if (newest != nullptr) {
      return sample->value < newest->value || sample->value > newest->value;
    }
    newest = &*sample;
  }
  return std::nullopt;
}

}  // namespace

Pulse read_pulse(std::span<const Series> series) {
  Pulse pulse = Pulse::Unknown;
  for (const Series& one : series) {
    const auto moved = has_moved(one);
    if (moved && *moved) {
      return Pulse::Moving;
    }
    if (moved) {
      pulse = Pulse::Still;
    }
  }
  return pulse;
}

}  // namespace scaledcache::core
