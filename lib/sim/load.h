// The offered load, second by second.
#pragma once

#include <cstdint>

#include "sim/scenario.h"

namespace scaledcache::sim {

// Requests per second that a load offers in the second that begins at `second`. Before 0 the first
// rate flows. The noise of a second depends on the seed and the second alone.
class LoadCurve {
 public:
  LoadCurve(const Load& load, std::uint64_t seed) : load_(&load), seed_(seed) {}

  // Seconds must not go back: the place in the points is kept.
  [[nodiscard]] double at(std::int64_t second);

  // The rate of the last `at` without its noise.
  [[nodiscard]] double plain() const { return plain_; }

 private:
  [[nodiscard]] double plain_at(std::int64_t second, Noise& noise);
  [[nodiscard]] double by_trace(std::int64_t second) const;

  const Load* load_;
  std::uint64_t seed_;
  double plain_ = 0;
  std::size_t next_ = 0;  // first point that is still to come
};

}  // namespace scaledcache::sim
