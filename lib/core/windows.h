// What the long window remembers: maxima and shares over time, in a bounded number of buckets.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/clock.h"

namespace scaledcache::core {

// The highest value over a moving window. Buckets are as wide as span ÷ 360, so the memory is
// bounded; a value is kept until its whole bucket has left the window, never dropped early.
class PeakWindow {
 public:
  static constexpr int kMostBuckets = 360;

  struct Bucket {
    WallTime start;
    double peak = 0;
    WallTime at;  // when the peak of this bucket was seen

    bool operator==(const Bucket&) const = default;
  };

  // Values older than `span` before the newest one may be forgotten. Changing it keeps what is
  // stored.
  void set_span(Milliseconds span);

  // Adds a value; one from the past goes where it belongs. NaN is ignored.
  void add(WallTime time, double value);

  // The highest value in [from, to]; nothing where there is none.
  [[nodiscard]] std::optional<double> highest(WallTime from, WallTime to) const;

  // The bucket that holds it.
  [[nodiscard]] std::optional<Bucket> highest_bucket(WallTime from, WallTime to) const;

  [[nodiscard]] const std::vector<Bucket>& buckets() const { return buckets_; }

  bool operator==(const PeakWindow&) const = default;

 private:
  [[nodiscard]] WallTime bucket_of(WallTime time) const;

  Milliseconds width_{1'000};
  Milliseconds span_{360'000};
  std::vector<Bucket> buckets_;  // by start
};

// The share of ticks in a moving window that were good, in at most 360 buckets.
class ShareWindow {
 public:
  struct Bucket {
    WallTime start;
    int good = 0;
    int all = 0;

    bool operator==(const Bucket&) const = default;
  };

  void set_span(Milliseconds span);
  void add(WallTime time, bool good);

  // Good ticks in (from, to] ÷ `expected` ticks, at most 1.
  [[nodiscard]] double share(WallTime from, WallTime to, double expected) const;

  bool operator==(const ShareWindow&) const = default;

 private:
  Milliseconds width_{1'000};
  Milliseconds span_{360'000};
  std::vector<Bucket> buckets_;
};

}  // namespace scaledcache::core
