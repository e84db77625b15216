#include "core/guards.h"

#include <vector>

#include <doctest/doctest.h>

#include "core/builders.h"

namespace scaledcache::core::test {
namespace {

TEST_CASE("what vetoes growth") {
  struct Row {
    const char* name;
    GuardLimits limits;
    FleetReading reading;
    bool just_grown;
    std::optional<Reason> want;
  };

  const std::vector<Row> rows{
      {"no guard", {}, {0.1, 1e6, 1e12}, true, std::nullopt},
      {"a hit ratio under the floor after a step",
       {0.9, {}, {}},
       {0.89, {}, {}},
       true,
       Reason::GuardHitRatio},
      {"at the floor", {0.9, {}, {}}, {0.9, {}, {}}, true, std::nullopt},
      {"a hit ratio that is low without a step", {0.9, {}, {}}, {0.5, {}, {}}, false, std::nullopt},
      {"an origin above its cap", {{}, 100, {}}, {{}, 100.5, {}}, false, Reason::GuardOrigin},
      {"an origin at its cap", {{}, 100, {}}, {{}, 100, {}}, false, std::nullopt},
      {"egress above its limit", {{}, {}, 1e9}, {{}, {}, 1.1e9}, false, Reason::GuardEgress},
      {"what is unknown breaks no limit", {0.9, 100, 1e9}, {}, true, std::nullopt},
      {"the hit ratio is named first", {0.9, 100, {}}, {0.1, 200, {}}, true, Reason::GuardHitRatio},
  };
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      CHECK(growth_veto(row.limits, row.reading, row.just_grown) == row.want);
    }
  }
}

TEST_CASE("a dip keeps the worst, and ends once all are warm and the hit ratio is back") {
  Dip dip = begin_dip(2, 8, {0.96, 40, {}}, kStart);
  CHECK_FALSE(advance_dip(dip, {0.80, 200, {}}, false, kStart + 10s));
  CHECK_FALSE(advance_dip(dip, {0.90, 300, {}}, true, kStart + 35s));
  CHECK_FALSE(advance_dip(dip, {0.96, 50, {}}, true, kStart + 59s));
  CHECK_FALSE(advance_dip(dip, {0.94, 60, {}}, true, kStart + 70s));
  CHECK(advance_dip(dip, {0.955, 45, {}}, true, kStart + 80s));
  CHECK(dip.worst == FleetReading{0.80, 300, {}});
  CHECK(dip.warm_after == Milliseconds{35'000});
  CHECK(describe_dip(dip) ==
        "2 → 8 replicas: hit ratio 96.0 %, 80.0 % at worst, 95.5 % after; to the origin 40.0 "
        "req/s, 300.0 req/s at worst, 45.0 req/s after; all warm after 35s");
}

TEST_CASE("a pod that turns cold again is waited for, and ten minutes are enough in any case") {
  Dip dip = begin_dip(2, 3, {}, kStart);
  CHECK_FALSE(advance_dip(dip, {}, true, kStart + 30s));
  CHECK_FALSE(advance_dip(dip, {}, false, kStart + 70s));
  CHECK_FALSE(dip.warm_after);
  CHECK(advance_dip(dip, {}, false, kStart + kLongestDip));
  CHECK(describe_dip(dip) ==
        "2 → 3 replicas: hit ratio unknown, unknown at worst, unknown after; to the origin "
        "unknown, unknown at worst, unknown after; not all warm after 10m");
}

TEST_CASE("of a shrink nobody asks when all were warm") {
  Dip dip = begin_dip(4, 3, {0.9, 10, {}}, kStart);
  CHECK(advance_dip(dip, {0.9, 10, {}}, true, kStart + kShortestDip));
  CHECK(describe_dip(dip).find("warm") == std::string::npos);
}

}  // namespace
}  // namespace scaledcache::core::test
