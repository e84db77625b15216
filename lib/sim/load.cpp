#include "sim/load.h"

#include <algorithm>
#include <cmath>

namespace scaledcache::sim {
namespace {

// splitmix64: one step of the generator whose state is `state`.
std::uint64_t splitmix64(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

// Zero mean, unit variance: the sum of four uniforms.
double unit_noise(std::uint64_t seed, std::int64_t second) {
  std::uint64_t state = (seed << 32U) + static_cast<std::uint64_t>(second);
  double sum = 0;
  for (int i = 0; i < 4; ++i) {
    sum += static_cast<double>(splitmix64(state) >> 11U) * 0x1p-53;
  }
  return (sum - 2) * std::sqrt(3.0);
}

double seconds(Milliseconds time) {
  return static_cast<double>(time.count()) / 1000;
}

}  // namespace

double LoadCurve::at(std::int64_t second) {
  Noise noise;
  const double rate = plain_at(second, noise);
  plain_ = rate;
  if (rate <= 0 || (noise.share <= 0 && !noise.poisson)) {
    return std::max(0.0, rate);
  }
  const double deviation = noise.poisson ? std::sqrt(rate) : rate * noise.share;
  return std::max(0.0, rate + deviation * unit_noise(seed_, second));
}

double LoadCurve::plain_at(std::int64_t second, Noise& noise) {
  if (!load_->trace.empty()) {
    noise = load_->trace_noise;
    return by_trace(second);
  }
  const auto& points = load_->points;
  while (next_ < points.size() && seconds(points[next_].at) <= static_cast<double>(second)) {
    ++next_;
  }
  const LoadPoint& before = points[next_ == 0 ? 0 : next_ - 1];
  noise = before.noise;
  if (next_ == 0 || next_ == points.size() || !points[next_].ramp) {
    return before.rate;
  }
  const LoadPoint& after = points[next_];
  const double part =
      (static_cast<double>(second) - seconds(before.at)) / (seconds(after.at) - seconds(before.at));
  return before.rate + part * (after.rate - before.rate);
}

double LoadCurve::by_trace(std::int64_t second) const {
  const double time = std::max(0.0, static_cast<double>(second)) + seconds(load_->skip);
  const double place = time / seconds(load_->step);
  const auto index = static_cast<std::size_t>(place);
  if (index + 1 >= load_->trace.size()) {
    return load_->trace.back();
  }
  const double part = place - static_cast<double>(index);
  return load_->trace[index] + part * (load_->trace[index + 1] - load_->trace[index]);
}

}  // namespace scaledcache::sim
