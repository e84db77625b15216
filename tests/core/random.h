// Numbers that look like chance and are the same on every run.
#pragma once

#include <cstdint>

namespace scaledcache::core::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

  // In [0, 1).
  double part() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

  double between(double least, double most) { return least + (most - least) * part(); }

  int whole(int least, int most) {
    return least + static_cast<int>(next() % static_cast<std::uint64_t>(most - least + 1));
  }

  bool chance(double share) { return part() < share; }

 private:
  std::uint64_t state_;
};

}  // namespace scaledcache::core::test
