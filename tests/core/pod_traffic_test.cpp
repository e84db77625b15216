#include "core/pod_traffic.h"

#include <limits>

#include <doctest/doctest.h>

#include "core/builders.h"

namespace scaledcache::core::test {
namespace {

Series series(const std::string& pod,
              const std::vector<std::pair<int, double>>& samples,
              const std::string& host = "") {
  Series one;
  one.labels = {{"pod", pod}, {"host", host}};
  for (const auto& [second, value] : samples) {
    one.samples.push_back(
        {(kStart + std::chrono::seconds{second}).time_since_epoch().count(), value});
  }
  return one;
}

std::vector<PodFacts> pods() {
  PodFacts a;
  a.name = "a";
  PodFacts b = a;
  b.name = "b";
  return {a, b};
}

Question question() {
  Question question;
  question.now = kStart + 60s;
  return question;
}

TEST_CASE("what a pod serves is told by its newest two samples, its series added up") {
  const std::vector<Series> answer{series("a", {{0, 0}, {10, 900}, {20, 1000}}),
                                   series("a", {{5, 0}, {15, 50}}, "other"),
                                   series("stranger", {{0, 0}, {10, 10}})};
  const std::vector<PodTraffic> want{{"a", 15, kStart + 5s}};
  CHECK(pod_traffic(question(), answer, pods()) == want);
}

TEST_CASE("a counter that fell began anew, and markers are no samples") {
  constexpr double kMarker = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Series> answer{
      series("b", {{0, 5000}, {10, 30}, {20, kMarker}}),
      series("a", {{10, 30}}),
  };
  const std::vector<PodTraffic> want{{"b", 3, kStart}};
  CHECK(pod_traffic(question(), answer, pods()) == want);
}

TEST_CASE("times are by our clock") {
  Question asked = question();
  asked.backend_now = asked.now + 1min;
  const std::vector<Series> answer{series("a", {{60, 0}, {70, 10}})};
  CHECK(pod_traffic(asked, answer, pods()).at(0).since == kStart);
}

}  // namespace
}  // namespace scaledcache::core::test
