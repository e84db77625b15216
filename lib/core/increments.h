// Increments of counters, and the fleet's traffic over any stretch of time. Times are milliseconds
// after a common origin.
#pragma once

#include <span>
#include <vector>

namespace scaledcache::core {

// Requests that one series counted between two instants.
struct Increment {
  double from = 0;
  double to = 0;
  double requests = 0;
  int pod = -1;  // index; -1 where samples cannot be mapped
};

// How much each moment counts when a gap between two samples is divided: 1 ÷ (pods serving then),
// because pods that come inside a gap take over from those that were there.
class Weights {
 public:
  // A pod that serves from `since` until `until`.
  struct Serving {
    double since = 0;
    double until = 0;
  };

  // `ready` where any of them is, else `running`, else one.
  Weights(std::span<const Serving> ready, std::span<const Serving> running, double from, double to);

  // The part of [from, to] that lies before `time`, in weights; from < to.
  [[nodiscard]] double part_before(double time, double from, double to) const;

 private:
  [[nodiscard]] double total_at(double time) const;

  struct Step {
    double time = 0;
    double weight = 0;  // per millisecond from here on
    double total = 0;   // up to here
  };

  std::vector<Step> steps_;  // empty: every moment counts the same
};

// For each of `edges` (ascending): the requests of all increments up to it.
[[nodiscard]] std::vector<double> requests_up_to(std::span<const double> edges,
                                                 std::span<const Increment> increments,
                                                 const Weights& weights);

}  // namespace scaledcache::core
