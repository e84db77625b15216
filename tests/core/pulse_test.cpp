#include "core/pulse.h"

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

namespace scaledcache::core::test {
namespace {

Series uptime(const std::vector<double>& values) {
  Series series;
  std::int64_t time = 0;
  for (const double value : values) {
    series.samples.push_back({time += 5'000, value});
  }
  return series;
}

TEST_CASE("an uptime that moves shows that the cache runs, one that stands does not") {
  struct Row {
    const char* name;
    std::vector<Series> series;
    Pulse want;
  };

  const double nan = std::nan("");
  for (const Row& row :
       {Row{"no series", {}, Pulse::Unknown}, Row{"one sample", {uptime({3600})}, Pulse::Unknown},
        Row{"it counts on", {uptime({3600, 3605})}, Pulse::Moving},
        Row{"it stands", {uptime({3600, 3600, 3600})}, Pulse::Still},
        Row{"two alike prove nothing", {uptime({3600, 3600})}, Pulse::Unknown},
        Row{"each scrape is there twice", {uptime({3595, 3595, 3600, 3600})}, Pulse::Moving},
        Row{"it stood still after it had counted",
            {uptime({3595, 3600, 3600, 3600})},
            Pulse::Still},
        Row{"the cache began anew", {uptime({3600, 2})}, Pulse::Moving},
        Row{"one pod's counts, the others' stand",
            {uptime({3600, 3600, 3600}), uptime({70, 75})},
            Pulse::Moving},
        Row{"one pod's stands, another has just begun",
            {uptime({3600, 3600, 3600}), uptime({1})},
            Pulse::Still},
        Row{"a staleness marker is no value", {uptime({3595, 3600, nan})}, Pulse::Moving},
        Row{"nothing but markers", {uptime({nan, nan, nan})}, Pulse::Unknown}}) {
    SUBCASE(row.name) {
      CHECK(read_pulse(row.series) == row.want);
    }
  }
}

}  // namespace
}  // namespace scaledcache::core::test
