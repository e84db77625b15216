#include "core/windows.h"

#include <cmath>

#include <doctest/doctest.h>

#include "core/builders.h"

namespace scaledcache::core::test {
namespace {

TEST_CASE("a peak is seen for exactly its window") {
  PeakWindow window;
  window.set_span(10min);
  window.add(kStart, 100);
  window.add(kStart + 60s, 50);
  CHECK(window.highest(kStart, kStart + 60s)->peak == 100);
  CHECK(window.highest(kStart + 1s, kStart + 60s)->peak == 50);
  CHECK_FALSE(window.highest(kStart + 61s, kStart + 90s));
}

TEST_CASE("memory is bounded, and what is kept is never dropped early") {
  PeakWindow window;
  window.set_span(24h);
  for (WallTime time = kStart; time < kStart + 72h; time += 5s) {
    window.add(time, time == kStart + 50h ? 900 : 1);
  }
  CHECK(window.buckets().size() <= 362);
  const WallTime end = kStart + 72h;
  CHECK(window.highest(end - 22h, end)->peak == 900);
  CHECK(window.highest(end - 21h, end)->peak == 1);
}

TEST_CASE("values of the past go where they belong, and what is no number goes nowhere") {
  PeakWindow window;
  window.set_span(10min);
  window.add(kStart + 100s, 1);
  window.add(kStart + 40s, 7);
  window.add(kStart + 50s, std::nan(""));
  CHECK(window.highest(kStart, kStart + 60s)->peak == 7);
  CHECK(window.buckets().size() == 2);
}

TEST_CASE("another span keeps what is stored") {
  PeakWindow window;
  window.set_span(10min);
  for (int i = 0; i < 100; ++i) {
    window.add(kStart + i * 5s, i == 20 ? 70 : 1);
  }
  window.set_span(2h);
  window.add(kStart + 500s, 1);
  CHECK(window.highest(kStart + 100s, kStart + 500s)->peak == 70);
  window.set_span(5min);
  window.add(kStart + 505s, 1);
  CHECK(window.highest(kStart + 110s, kStart + 505s)->peak == 1);
}

TEST_CASE("a share is time that held over time that passed") {
  ShareWindow window;
  window.set_span(5min);
  for (int i = 1; i <= 60; ++i) {
    if (i % 4 != 0) {
      window.add(kStart + i * 5s, 5s);
    }
  }
  CHECK(window.share(kStart, kStart + 300s) == doctest::Approx(0.75));
  CHECK(window.share(kStart, kStart) == 1);
}

}  // namespace
}  // namespace scaledcache::core::test
