// What a scrape finds: counters as the pods show them, and everything that can be wrong with them.
#include <algorithm>
#include <cmath>

#include "sim/fleet.h"

namespace scaledcache::sim {
namespace {

constexpr Second kTerminating = 30;  // a removed pod is scraped for so long

}  // namespace

bool Fleet::is_silent(const Pod& pod, std::size_t signal) const {
  const Fault* partial = find(FaultKind::Partial, signal);
  if (partial == nullptr) {
    return false;
  }
  // Spreads the silent ones evenly over any run of pods.
  const auto silent_before = [&](int pods) { return std::floor(pods * partial->value + 1e-9); };
  return silent_before(pod.number + 1) > silent_before(pod.number);
}

void Fleet::scrape(Pod& pod) {
  const bool scraped = pod.serving || (pod.gone_at && now_ - *pod.gone_at < kTerminating);
  const bool ever = !pod.start.empty();
  for (std::size_t i = 0; i < signals_ && ever; ++i) {
    if (has(FaultKind::Stale, i)) {
      continue;
    }
    const bool fails = !scraped || is_silent(pod, i);
    if (fails && pod.failing[i] == 0 && has(FaultKind::StaleMarker, i)) {
      pod.samples[i].push_back({stamp(now_), std::nan("")});
    } else if (!fails) {
      scrape_signal(pod, i);
    }
    pod.failing[i] = static_cast<char>(fails);
  }
}

void Fleet::scrape_signal(Pod& pod, std::size_t signal) {
  double share = shown_[signal];
  if (pod.gone_at) {
    share = std::min(share, pod.stopped_at[signal]);
  }
  double value = std::max(0.0, share - pod.start[signal]);
  if (has(FaultKind::NotANumber, signal)) {
    value = std::nan("");
  } else if (has(FaultKind::PlusInfinity, signal)) {
    value = HUGE_VAL;
  } else if (has(FaultKind::MinusInfinity, signal)) {
    value = -HUGE_VAL;
  } else if (has(FaultKind::Negative, signal)) {
    value = -1 - value;
  } else if (has(FaultKind::Huge, signal)) {
    value = 1e308;
  }
  pod.samples[signal].push_back({stamp(now_), value});
}

void Fleet::forget_old() {
  const std::int64_t oldest = stamp(now_ - keep_);
  for (Pod& pod : pods_) {
    for (std::vector<core::Sample>& samples : pod.samples) {
      const auto keep =
          std::find_if(samples.begin(), samples.end(),
                       [&](const core::Sample& sample) { return sample.time_ms >= oldest; });
      samples.erase(samples.begin(), keep);
    }
  }
  std::erase_if(pods_, [&](const Pod& pod) { return pod.gone_at && now_ - *pod.gone_at > keep_; });
}

}  // namespace scaledcache::sim
