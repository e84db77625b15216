#include "core/own_requests.h"

#include <functional>

#include <doctest/doctest.h>

#include "core/builders.h"
#include "core/rates.h"

namespace scaledcache::core::test {
namespace {

TEST_CASE("requests are kept by the second, for as long as an answer can show them") {
  OwnLedger ledger;
  CHECK(ledger.is_over(kStart));
  ledger.note(kStart + 200ms);
  ledger.note(kStart + 900ms);
  ledger.note(kStart + 1s);
  ledger.note(kStart + 100ms);  // another thread was a little later with it
  CHECK(ledger.counts() == std::vector<OwnRequests>{{kStart, 3}, {kStart + 1s, 1}});
  ledger.note(kStart + 1s + kOwnRequestsKept);
  CHECK(ledger.counts().front().second == kStart + 1s);
  CHECK_FALSE(ledger.is_over(kStart + kOwnRequestsKept));
  CHECK(ledger.is_over(kStart + 2s + 2 * kOwnRequestsKept));
}

TEST_CASE("a clock that is set back leaves nothing in the future behind") {
  OwnLedger ledger;
  ledger.note(kStart + 1h);
  ledger.note(kStart);
  CHECK(ledger.counts() == std::vector<OwnRequests>{{kStart, 1}});
}

TEST_CASE("a share is taken once, within its time, and never more than there is") {
  OwnShare share({{1'000, 3}, {2'000, 4}, {3'000, 5}});
  CHECK(share.take(0, 500, 100) == 0);
  CHECK(share.take(1'000, 2'000, 3) == 3);
  CHECK(share.take(1'000, 2'000, 100) == 1);
  CHECK(share.take(0, 9'000, 100) == 8);
  CHECK(share.take(0, 9'000, 100) == 0);
}

// Pods that serve 20 requests per second each, scraped every five seconds up to second 100, which
// is now; one of them has also been asked by us.
struct World {
  std::vector<Series> series;
  std::vector<PodFacts> pods;
  Question question;

  World() {
    question.signal = policy().signals[0];
    question.now = kStart + 100s;
    question.backend_now = question.now;
    question.has_served = true;
    question.counts_own = true;
    add_pod("pod-0", [](double second) { return 1000 + 20 * second; });
    add_pod("pod-1", [](double second) { return 1000 + 20 * second; });
  }

  void add_pod(const std::string& name, const std::function<double(double)>& value) {
    PodFacts pod;
    pod.name = name;
    pod.ready = true;
    pod.ready_since = kStart - 1h;
    pod.container_started = kStart - 1h;
    pods.push_back(pod);
    add_series(name, "a", value);
  }

  void add_series(const std::string& name,
                  const char* listener,
                  const std::function<double(double)>& value) {
    Series one;
    one.labels = {{"pod", name}, {"listener", listener}};
    for (int second = 30; second <= 100; second += 5) {
      one.samples.push_back({stamp(second), value(second)});
    }
    series.push_back(one);
  }

  static std::int64_t stamp(int second) {
    return (kStart + std::chrono::seconds{second}).time_since_epoch().count();
  }

  // We asked the first pod so often in each second of [from, to), and its counter shows it `late`
  // seconds later.
  void ask(int from, int to, int per_second, int late = 0) {
    for (int second = from; second < to; ++second) {
      pods[0].own.push_back({kStart + std::chrono::seconds{second}, per_second});
      for (Sample& sample : series[0].samples) {
        sample.value += sample.time_ms > stamp(second + late) ? per_second : 0;
      }
    }
  }

  [[nodiscard]] SignalReading read() const { return read_counter(question, series, pods); }
};

TEST_CASE("our own requests are no demand") {
  World world;
  world.ask(40, 100, 100);  // a warm-up of a pod that serves
  CHECK(world.read().short_rate == doctest::Approx(40));
  for (const double delta : world.read().delta) {
    CHECK(delta == doctest::Approx(40));
  }
  world.question.counts_own = false;
  CHECK(world.read().short_rate == doctest::Approx(140));
}

TEST_CASE("a burst that ends between two scrapes leaves no trace") {
  World world;
  world.ask(91, 94, 500);
  CHECK(world.read().short_rate == doctest::Approx(40));
  CHECK(world.read().delta[0] == doctest::Approx(40));
}

TEST_CASE("what the pod shows one scrape later is taken off then") {
  World world;
  world.ask(83, 85, 300, 2);
  CHECK(world.read().short_rate == doctest::Approx(40));
}

TEST_CASE("a rate never falls below zero, whatever we have sent") {
  World world;
  for (int second = 40; second < 100; ++second) {
    world.pods[0].own.push_back({kStart + std::chrono::seconds{second}, 1'000'000});
  }
  const SignalReading reading = world.read();
  CHECK(reading.short_rate == doctest::Approx(20));  // of the other pod
  CHECK(reading.health == Health::Fresh);
}

TEST_CASE("what was sent before a restart was counted by the cache that is gone") {
  World world;
  world.ask(40, 79, 10);
  world.pods[0].own.push_back({kStart + 81s, 50});  // two seconds before the process went
  for (Sample& sample : world.series[0].samples) {
    if (sample.time_ms > World::stamp(80)) {
      sample.value = 20.0 * (static_cast<double>(sample.time_ms - World::stamp(83)) / 1000);
    }
  }
  SUBCASE("of the container, at a known time") {
    world.pods[0].container_started = kStart + 83s;
  }
  SUBCASE("of the process, at an unknown time") {}
  CHECK(world.read().delta[0] == doctest::Approx(40));
  // Only the three seconds that nobody has counted are missing.
  CHECK(world.read().short_rate == doctest::Approx((40 * 30 - 60) / 30.0));
}

TEST_CASE("of a pod with several series each request is taken off once") {
  World world;
  world.add_series("pod-0", "b", [](double second) { return 7 * second; });
  world.ask(70, 100, 40);
  CHECK(world.read().short_rate == doctest::Approx(47));
}

TEST_CASE("a new pod's first count is what visitors asked for, not its warm-up") {
  World world;
  world.add_pod("pod-2", [](double) { return 0.0; });
  world.series.back().samples = {{World::stamp(100), 450 + 30}};
  world.pods.back().container_started = kStart + 80s;
  world.pods.back().ready_since = kStart + 97s;
  world.pods.back().own = {{kStart + 90s, 450}};
  CHECK(world.read().short_rate == doctest::Approx((40 * 30 + 30) / 30.0));
}

TEST_CASE("probes of a fleet without visitors show that its counters do not stand still") {
  World world;
  for (Series& one : world.series) {
    for (Sample& sample : one.samples) {
      sample.value = std::min(sample.value, 2'000.0);  // visitors went at second 50
    }
  }
  CHECK(world.read().standing_still);
  world.ask(40, 100, 1);
  const SignalReading reading = world.read();
  CHECK_FALSE(reading.standing_still);
  CHECK(reading.short_rate == 0);
}

TEST_CASE("what cannot be told by pod is left as it is") {
  World world;
  world.ask(40, 100, 100);
  world.question.signal.pod_label.clear();
  CHECK(world.read().short_rate == doctest::Approx(140));
}

}  // namespace
}  // namespace scaledcache::core::test
