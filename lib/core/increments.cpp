#include "core/increments.h"

#include <algorithm>
#include <cstddef>

namespace scaledcache::core {
namespace {

// +1 and −1 inside (from, to), and the count at `from`.
struct Changes {
  std::vector<std::pair<double, int>> steps;
  int at_start = 0;
};

Changes changes_of(std::span<const Weights::Serving> serving, double from, double to) {
  Changes changes;
  for (const Weights::Serving& pod : serving) {
    if (pod.since <= from && pod.until > from) {
      ++changes.at_start;
    }
    if (pod.since > from && pod.since < to) {
      changes.steps.emplace_back(pod.since, +1);
    }
    if (pod.until > from && pod.until < to) {
      changes.steps.emplace_back(pod.until, -1);
    }
  }
  std::sort(changes.steps.begin(), changes.steps.end());
  return changes;
}

}  // namespace

Weights::Weights(std::span<const Serving> ready,
                 std::span<const Serving> running,
                 double from,
                 double to) {
  const Changes by_ready = changes_of(ready, from, to);
  const Changes by_running = changes_of(running, from, to);
  if (by_ready.steps.empty() && (by_ready.at_start > 0 || by_running.steps.empty())) {
    return;
  }
  int ready_now = by_ready.at_start;
  int running_now = by_running.at_start;
  const auto push = [&](double time) {
    const int pods = ready_now > 0 ? ready_now : std::max(1, running_now);
    const double total = steps_.empty() ? 0 : total_at(time);
    steps_.push_back(Step{time, 1.0 / pods, total});
  };
  push(from);
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < by_ready.steps.size() || j < by_running.steps.size()) {
    const bool take_ready =
        j == by_running.steps.size() ||
        (i < by_ready.steps.size() && by_ready.steps[i].first <= by_running.steps[j].first);
    const auto [time, change] = take_ready ? by_ready.steps[i++] : by_running.steps[j++];
    (take_ready ? ready_now : running_now) += change;
    push(time);
  }
}

double Weights::total_at(double time) const {
  auto after = std::upper_bound(steps_.begin(), steps_.end(), time,
                                [](double wanted, const Step& step) { return wanted < step.time; });
  const Step& step = after == steps_.begin() ? steps_.front() : *(after - 1);
  return step.total + (time - step.time) * step.weight;
}

double Weights::part_before(double time, double from, double to) const {
  if (time <= from) {
    return 0;
  }
  if (time >= to) {
    return 1;
  }
  if (steps_.empty()) {
    return (time - from) / (to - from);
  }
  const double start = total_at(from);
  const double whole = total_at(to) - start;
  return whole > 0 ? (total_at(time) - start) / whole : 1;
}

std::vector<double> requests_up_to(std::span<const double> edges,
                                   std::span<const Increment> increments,
                                   const Weights& weights) {
  std::vector<double> sums(edges.size() + 1);  // whole increments, from their edge on
  std::vector<double> parts(edges.size());     // what of an increment lies before an edge inside it
  for (const Increment& increment : increments) {
    auto edge = static_cast<std::size_t>(
        std::upper_bound(edges.begin(), edges.end(), increment.from) - edges.begin());
    for (; edge < edges.size() && edges[edge] < increment.to; ++edge) {
      parts[edge] +=
          increment.requests * weights.part_before(edges[edge], increment.from, increment.to);
    }
    sums[edge] += increment.requests;
  }
  double whole = 0;
  for (std::size_t edge = 0; edge < edges.size(); ++edge) {
    whole += sums[edge];
    parts[edge] += whole;
  }
  return parts;
}

}  // namespace scaledcache::core
