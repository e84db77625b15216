#include "core/pulse.h"

#include <cmath>

namespace scaledcache::core {
namespace {

constexpr int kStillSamples = 3;  // two scrapes: two copies of one scrape may show the same second

Pulse pulse_of(const Series& series) {
  const Sample* newest = nullptr;
  int alike = 0;
  for (auto sample = series.samples.rbegin(); sample != series.samples.rend(); ++sample) {
    if (std::isnan(sample->value)) {
      continue;
    }
    newest = newest == nullptr ? &*sample : newest;
    if (sample->value < newest->value || sample->value > newest->value) {
      return Pulse::Moving;
    }
    if (++alike == kStillSamples) {
      return Pulse::Still;
    }
  }
  return Pulse::Unknown;
}

}  // namespace

Pulse read_pulse(std::span<const Series> series) {
  Pulse pulse = Pulse::Unknown;
  for (const Series& one : series) {
    const Pulse its = pulse_of(one);
    if (its == Pulse::Moving) {
      return its;
    }
    pulse = its == Pulse::Still ? its : pulse;
  }
  return pulse;
}

}  // namespace scaledcache::core
