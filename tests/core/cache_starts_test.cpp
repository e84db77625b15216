#include "core/cache_starts.h"

#include <limits>

#include <doctest/doctest.h>

#include "core/builders.h"

namespace scaledcache::core::test {
namespace {

using Starts = std::map<std::string, WallTime>;

Series series(const std::string& pod, const std::vector<std::pair<int, double>>& samples) {
  Series one;
  one.labels = {{"pod", pod}};
  for (const auto& [second, value] : samples) {
    one.samples.push_back(
        {(kStart + std::chrono::seconds{second}).time_since_epoch().count(), value});
  }
  return one;
}

Starts starts_of(const std::vector<Series>& answer, Milliseconds backend_ahead = 0ms) {
  PodFacts a;
  a.name = "a";
  PodFacts b = a;
  b.name = "b";
  Question question;
  question.now = kStart + 60s;
  question.backend_now = question.now + backend_ahead;
  return cache_starts(question, answer, std::vector<PodFacts>{a, b});
}

TEST_CASE("a counter that fell tells of a start after its last value before") {
  CHECK(starts_of({series("a", {{0, 1000}, {10, 2000}, {20, 15}, {30, 900}})}) ==
        Starts{{"a", kStart + 10s}});
}

TEST_CASE("of two starts the newer one counts") {
  CHECK(starts_of({series("a", {{0, 1000}, {10, 5}, {20, 700}, {30, 3}})}) ==
        Starts{{"a", kStart + 20s}});
  CHECK(starts_of({series("a", {{0, 1000}, {10, 5}}), series("a", {{5, 50}, {15, 0}})}) ==
        Starts{{"a", kStart + 5s}});
}

TEST_CASE("counters that rise, waver, pause or belong to strangers tell of none") {
  constexpr double kMarker = std::numeric_limits<double>::quiet_NaN();
  CHECK(starts_of({series("a", {{0, 1000}, {10, 2000}}), series("b", {{0, 1000}, {10, 990}}),
                   series("b", {{0, 7}, {10, kMarker}, {20, 8}}), series("a", {}),
                   series("stranger", {{0, 1000}, {10, 1}})})
            .empty());
}

TEST_CASE("times are by our clock") {
  CHECK(starts_of({series("a", {{60, 1000}, {70, 2}})}, 60s) == Starts{{"a", kStart}});
}

}  // namespace
}  // namespace scaledcache::core::test
