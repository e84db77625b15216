#include "k8s/dip_status.h"

#include <doctest/doctest.h>

namespace scaledcache::k8s {
namespace {

using std::chrono::seconds;

constexpr WallTime kNow{seconds{1'800'000'000}};

core::Dip growth() {
  core::Dip dip = core::begin_dip(2, 8, {0.96, 40, {}}, kNow);
  dip.worst = {0.8, 200, {}};
  dip.steps = 2;
  dip.load_before = {1500, 2, true};
  dip.warm_after = seconds{35};
  return dip;
}

TEST_CASE("a restart finds what it needs to go on") {
  const Json json = to_json(growth());
  const auto read = dip_from_json(&json);
  REQUIRE(read);
  core::Dip want = growth();
  want.after = want.before;
  CHECK(*read == want);
}

TEST_CASE("what is unknown stays unknown") {
  const Json json = to_json(core::begin_dip(4, 3, {}, kNow));
  const auto read = dip_from_json(&json);
  REQUIRE(read);
  CHECK(*read == core::begin_dip(4, 3, {}, kNow));
}

TEST_CASE("what another program has written") {
  CHECK_FALSE(dip_from_json(nullptr));
  Json json = to_json(growth());
  SUBCASE("no time") {
    json.erase("since");
    CHECK_FALSE(dip_from_json(&json));
  }
  SUBCASE("a count that is none") {
    json["to"] = -1;
    CHECK_FALSE(dip_from_json(&json));
  }
  SUBCASE("another type") {
    json = Json::array();
    CHECK_FALSE(dip_from_json(&json));
  }
  SUBCASE("parts of other types are unknown") {
    json["before"] = 3;
    json["worst"] = {{"hitRatio", "high"}};
    json["steps"] = -5;
    const auto read = dip_from_json(&json);
    REQUIRE(read);
    CHECK_FALSE(read->before.hit_ratio);
    CHECK_FALSE(read->worst.hit_ratio);
    CHECK(read->load_before == core::FleetLoad{});
    CHECK(read->steps == 1);
  }
}

}  // namespace
}  // namespace scaledcache::k8s
