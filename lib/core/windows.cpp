#include "core/windows.h"

#include <algorithm>
#include <cmath>

namespace scaledcache::core {
namespace {

constexpr std::int64_t kSlots = 360;

Milliseconds width_for(Milliseconds span) {
  return Milliseconds{std::max<std::int64_t>(1, (span.count() + kSlots - 1) / kSlots)};
}

std::int64_t slot_of(WallTime time, Milliseconds width) {
  return time.time_since_epoch().count() / width.count();
}

// The place of `slot` in buckets that are sorted by slot; usually the last one.
template <class Buckets>
auto place_of(Buckets& buckets, std::int64_t slot) {
  if (buckets.empty() || buckets.back().slot < slot) {
    return buckets.end();
  }
  return std::lower_bound(
      buckets.begin(), buckets.end(), slot,
      [](const auto& bucket, std::int64_t wanted) { return bucket.slot < wanted; });
}

template <class Buckets>
void forget(Buckets& buckets, Milliseconds span) {
  const WallTime oldest = buckets.back().newest - span;
  const auto keep = std::find_if(buckets.begin(), buckets.end(),
                                 [&](const auto& bucket) { return bucket.newest >= oldest; });
  buckets.erase(buckets.begin(), keep);
}

// Slots are counted in widths: another width needs them counted anew, or order would be lost.
template <class Buckets>
void count_anew(Buckets& buckets, Milliseconds width) {
  for (auto& bucket : buckets) {
    bucket.slot = slot_of(bucket.newest, width);
  }
}

}  // namespace

void PeakWindow::set_span(Milliseconds span) {
  span_ = span;
  if (width_for(span) != width_) {
    width_ = width_for(span);
    count_anew(buckets_, width_);
  }
}

void PeakWindow::add(WallTime time, double value) {
  if (std::isnan(value)) {
    return;
  }
  const std::int64_t slot = slot_of(time, width_);
  const auto place = place_of(buckets_, slot);
  if (place == buckets_.end() || place->slot != slot) {
    buckets_.insert(place, Bucket{slot, time, time, value});
  } else {
    place->first = std::min(place->first, time);
    place->newest = std::max(place->newest, time);
    place->peak = std::max(place->peak, value);
  }
  forget(buckets_, span_);
}

std::optional<PeakWindow::Bucket> PeakWindow::highest(WallTime from, WallTime to) const {
  const Bucket* best = nullptr;
  for (const Bucket& bucket : buckets_) {
    if (bucket.newest >= from && bucket.first <= to &&
        (best == nullptr || bucket.peak >= best->peak)) {
      best = &bucket;
    }
  }
  return best == nullptr ? std::nullopt : std::optional(*best);
}

void ShareWindow::set_span(Milliseconds span) {
  span_ = span;
  if (width_for(span) != width_) {
    width_ = width_for(span);
    count_anew(buckets_, width_);
  }
}

void ShareWindow::add(WallTime time, Milliseconds lasting) {
  const std::int64_t slot = slot_of(time, width_);
  const auto place = place_of(buckets_, slot);
  if (place == buckets_.end() || place->slot != slot) {
    buckets_.insert(place, Bucket{slot, time, lasting});
  } else {
    place->newest = std::max(place->newest, time);
    place->held += lasting;
  }
  forget(buckets_, span_);
}

double ShareWindow::share(WallTime from, WallTime to) const {
  Milliseconds held{0};
  for (const Bucket& bucket : buckets_) {
    if (bucket.newest > from && bucket.newest <= to) {
      held += bucket.held;
    }
  }
  const auto whole = static_cast<double>((to - from).count());
  return whole <= 0 ? 1 : std::min(1.0, static_cast<double>(held.count()) / whole);
}

}  // namespace scaledcache::core
