// The request counters of a fleet of caches, as a scrape every second would have stored them: what
// the clients offer, split evenly among the pods that serve.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"

namespace scaledcache::loopback {

inline constexpr std::int64_t kScrapeMs = 1000;

// Thread safe. Every sample is a function of what was set and of its own time, so two looks at one
// moment of the past agree unless set_load() rewrote it.
class FakeFleet {
 public:
  explicit FakeFleet(std::string metric);

  // Requests per second, as if it had never been anything else.
  void set_load(double requests_per_second);

  // From the next scrape on.
  void step_load(double requests_per_second);

  // Each second differs from the load by up to this share of it, up or down.
  void set_noise(double share);

  // Who serves from now on; the first ones always did. The order has no meaning.
  void set_pods(const std::vector<std::string>& pods) { set_pods(pods, pods); }

  // As above; `scraped` are those whose counters are read, traffic or not.
  void set_pods(const std::vector<std::string>& serving, const std::vector<std::string>& scraped);

  // The `result` of a range selector over the `window_ms` before `now`.
  [[nodiscard]] Json matrix(WallTime now, std::int64_t window_ms) const;

  // What the clients offer now.
  [[nodiscard]] double load(WallTime now) const;

  // The `result` of sum(rate(…)) between two times.
  [[nodiscard]] Json rates(std::int64_t start_ms, std::int64_t end_ms, std::int64_t step_ms) const;

  [[nodiscard]] const std::string& metric() const { return metric_; }

 private:
  [[nodiscard]] double load_at(std::int64_t time_ms) const;

  struct Pods {
    std::set<std::string> serving;
    std::set<std::string> scraped;
  };

  [[nodiscard]] const Pods& pods_at(std::int64_t time_ms) const;
  [[nodiscard]] Json values_of(const std::string& pod, std::int64_t from, std::int64_t to) const;

  const std::string metric_;
  const std::int64_t origin_ms_;
  mutable std::mutex mutex_;
  double noise_ = 0;
  std::map<std::int64_t, double> load_;  // from when on
  std::map<std::int64_t, Pods> pods_;    // from when on
};

}  // namespace scaledcache::loopback
