// Inside one answer: which pods are judged, where the windows end, and every increment with the
// time it was served in. Internal to this room.
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "core/constants.h"
#include "core/increments.h"
#include "core/own_requests.h"
#include "core/rates.h"
#include "core/series.h"

namespace scaledcache::core {

inline constexpr double kForever = std::numeric_limits<double>::infinity();
inline constexpr Milliseconds kUnknownScrape{15'000};  // until two samples of a series were seen

// One answer on its way to a reading. Times are milliseconds of the backend's clock after `origin`,
// so that doubles keep them exact.
struct Answer {
  const Question& question;
  std::span<const PodFacts> pods;
  ChosenSeries chosen;
  std::int64_t origin_ms = 0;  // where the answer's window begins
  double now = 0;
  Milliseconds clock_shift{0};  // the backend's clock less ours
  Milliseconds scrape{0};
  std::vector<char> judged{};   // by pod
  std::vector<char> covered{};  // by pod
  double newest = 0;            // newest value of any series
  double end = 0;               // E: windows end here
  bool any_current = false;

  // A time of ours, as a time of the answer.
  [[nodiscard]] double at(WallTime ours) const {
    return static_cast<double>((ours + clock_shift).time_since_epoch().count() - origin_ms);
  }

  [[nodiscard]] double at(std::int64_t time_ms) const {
    return static_cast<double>(time_ms - origin_ms);
  }

  [[nodiscard]] WallTime ours(double time) const {
    return WallTime{Milliseconds{origin_ms + std::llround(time)}} - clock_shift;
  }

  [[nodiscard]] bool is_current(const CountedSeries& series) const {
    return !series.ended &&
           at(series.newest_ms) >= newest - kCurrentScrapes * static_cast<double>(scrape.count());
  }
};

// What of an answer is a rate: increments whose time is known, and first counts whose time is known
// but whose size needs a look at the other pods.
struct Counted {
  std::vector<Increment> increments;
  std::vector<Increment> first;      // since a container's start
  double covered_since = -kForever;  // every older series has a value here
  bool any_gap = false;              // some series has two values
  double longest_gap = 0;            // between scrapes, in the newest intervals
  double own_until = -kForever;      // the newest sample that requests of our own have moved
};

// The backend's clock less ours. A Date header knows only whole seconds: a small difference is
// none.
[[nodiscard]] Milliseconds clock_shift_of(const Question& question);

// Finds the newest sample and E, the end of the windows.
void find_end(Answer& answer);

// Judged: ready for at least two scrapes that the answer can show, neither finished nor on its way
// out.
void judge_pods(Answer& answer);

// How the pods shared the traffic over time.
[[nodiscard]] Weights weights_of(const Answer& answer);

// All increments, less our own requests; first counts are admitted up to what other pods served
// meanwhile.
[[nodiscard]] Counted count(const Answer& answer, const Weights& weights);

}  // namespace scaledcache::core
