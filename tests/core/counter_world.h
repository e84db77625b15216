// An answer to a counter query that tests make by hand.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/builders.h"
#include "core/rates.h"

namespace scaledcache::core::test {

// Pods that serve evenly, scraped every five seconds up to now, which is
// second 100 of a window of 70 seconds.
struct CounterWorld {
  std::vector<Series> series;
  std::vector<PodFacts> pods;
  Question question;

  explicit CounterWorld(int count = 2, double rate = 200) {
    question.signal = policy().signals[0];
    question.now = kStart + 100s;
    question.backend_now = question.now;
    question.has_served = true;
    for (int i = 0; i < count; ++i) {
      add_pod("pod-" + std::to_string(i), [rate](double second) { return 1000 + rate * second; });
    }
  }

  static std::int64_t stamp(double second) {
    return (kStart + std::chrono::milliseconds{std::llround(second * 1000)})
        .time_since_epoch()
        .count();
  }

  // A pod that is old and ready, and whose counter shows `value` at each second.
  void add_pod(const std::string& name, const std::function<double(double)>& value) {
    PodFacts pod;
    pod.name = name;
    pod.ready = true;
    pod.ready_since = kStart - 1h;
    pod.container_started = kStart - 1h;
    pods.push_back(pod);
    Series one;
    one.labels = {{"__name__", "requests_total"}, {"pod", name}, {"job", "cache"}};
    for (int second = 30; second <= 100; second += 5) {
      one.samples.push_back({stamp(second), value(second)});
    }
    series.push_back(one);
  }

  [[nodiscard]] SignalReading read() const { return read_counter(question, series, pods); }
};

}  // namespace scaledcache::core::test
