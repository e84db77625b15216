#include "k8s/pod_status.h"

#include <doctest/doctest.h>

namespace scaledcache::k8s {
namespace {

TEST_CASE("of many pods the first 32 are told") {
  std::vector<PodStatus> pods(40);
  for (std::size_t i = 0; i < pods.size(); ++i) {
    pods[i].name = "varnish-" + std::to_string(i);
  }
  const Json list = to_json(pods);
  CHECK(list.size() == 32);
  CHECK(list[31]["name"] == "varnish-31");
}

TEST_CASE("entries that cannot be read are dropped, the others stay") {
  const Json pods = Json::parse(R"([1, {"state": "Warm"}, {"name": "a", "hitPercent": -3,
      "seconds": "x"}, {"name": "b", "state": "Warm", "hitPercent": 99, "seconds": 1.25}])");
  const auto read = pods_from_json(&pods);
  REQUIRE(read.size() == 2);
  CHECK(read[0] == PodStatus{"a", "", std::nullopt, std::nullopt, ""});
  CHECK(read[1] == PodStatus{"b", "Warm", 99, 1.25, ""});

  const Json drains = Json::parse(R"([{"pod": "a", "uid": "u"}, {"pod": "a", "uid": "u",
      "since": "2026-01-01T00:00:01Z"}, {"uid": "u", "since": "2026-01-01T00:00:01Z"}])");
  CHECK(drains_from_json(&drains).size() == 1);
}

TEST_CASE("what is no list reads as none") {
  const Json wrong("x");
  CHECK(pods_from_json(&wrong).empty());
  CHECK(drains_from_json(nullptr).empty());
}

}  // namespace
}  // namespace scaledcache::k8s
