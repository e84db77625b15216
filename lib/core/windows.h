// What the long window remembers: maxima and shares over time, in a bounded number of buckets.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.h"

namespace scaledcache::core {

// The highest value over a moving window. Values that fall into one 360th of the span share a
// bucket, so the memory is bounded; a bucket is kept until the newest of its values has left the
// window, never dropped early.
class PeakWindow {
 public:
  struct Bucket {
    std::int64_t slot = 0;
    WallTime first;   // time of the oldest value in it
    WallTime newest;  // time of the newest value in it
    double peak = 0;

    bool operator==(const Bucket&) const = default;
  };

  // What lies further back than `span` from the newest value may be forgotten. Changing it keeps
  // what is stored.
  void set_span(Milliseconds span);

  // Adds a value; one from the past goes where it belongs. NaN is ignored.
  void add(WallTime time, double value);

  // The bucket with the highest value in [from, to], the newest of equals; nothing where there is
  // none.
  [[nodiscard]] std::optional<Bucket> highest(WallTime from, WallTime to) const;

  // Oldest first.
  [[nodiscard]] const std::vector<Bucket>& buckets() const { return buckets_; }

  [[nodiscard]] Milliseconds span() const { return span_; }

  bool operator==(const PeakWindow&) const = default;

 private:
  Milliseconds width_{1'000};
  Milliseconds span_{360'000};
  std::vector<Bucket> buckets_;
};

// The part of a moving window in which something held, in the same buckets.
class ShareWindow {
 public:
  struct Bucket {
    std::int64_t slot = 0;
    WallTime newest;
    Milliseconds held{0};

    bool operator==(const Bucket&) const = default;
  };

  void set_span(Milliseconds span);

  // It held for `lasting` up to `time`.
  void add(WallTime time, Milliseconds lasting);

  // The share of (from, to] in which it held, at most 1.
  [[nodiscard]] double share(WallTime from, WallTime to) const;

  // Oldest first.
  [[nodiscard]] const std::vector<Bucket>& buckets() const { return buckets_; }

  [[nodiscard]] Milliseconds span() const { return span_; }

  bool operator==(const ShareWindow&) const = default;

 private:
  Milliseconds width_{1'000};
  Milliseconds span_{360'000};
  std::vector<Bucket> buckets_;
};

}  // namespace scaledcache::core
