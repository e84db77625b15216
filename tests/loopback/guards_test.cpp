// Guards on growth, by the series of a preset.
#include <algorithm>

#include <doctest/doctest.h>

#include "loopback/world.h"

namespace scaledcache::loopback {
namespace {

constexpr const char* kName = "squid-client-http";  // its pods' counter is the preset's

Json guarded(const Json& guards) {
  return {
      {"guards", guards},
      {"signals",
       Json::array({{{"name", "requests"}, {"preset", "Squid"}, {"requestsPerReplica", 200}}})}};
}

}  // namespace

TEST_CASE("an origin above its cap holds growth, and lets it go once it is below") {
  World world;
  world.backend.set_number("squid_server_http_requests_total", 500);
  world.run(kName, 2, 300, guarded({{"maxFleetOriginRequestsPerSecond", 100}}));
  world.fleet(kName).set_load(900);
  world.eventually("the guard holds", [&] { return world.reason(kName) == "GuardOrigin"; });
  world.wait_for_looks(4);
  CHECK(world.scale_steps(kName).empty());
  world.backend.set_number("squid_server_http_requests_total", 50);
  world.wait_for_replicas(kName, 5);
}

TEST_CASE("a low hit ratio holds growth after a step, and not before one") {
  World world;
  world.backend.set_number("squid_client_http_hits_total", 0.5);
  world.run(kName, 2, 300, guarded({{"minHitPercent", 90}}));
  world.fleet(kName).set_load(900);
  world.wait_for_replicas(kName, 5);
  world.fleet(kName).set_load(1500);
  world.eventually("the guard holds", [&] { return world.reason(kName) == "GuardHitRatio"; });
  CHECK(world.scale_steps(kName) == "2>5");
  world.backend.set_number("squid_client_http_hits_total", 0.95);
  world.wait_for_replicas(kName, 8);
}

TEST_CASE("without a guard nobody asks for hits or the origin before the count changes") {
  World world;
  world.run(kName, 2, 300, guarded(Json::object()));
  world.wait_for_looks(3);
  for (const std::string& text : world.backend.texts()) {
    CHECK(text.find("hits_total") == std::string::npos);
  }
  world.fleet(kName).set_load(900);
  world.wait_for_replicas(kName, 5);
  world.eventually("the dip is followed", [&] {
    const auto texts = world.backend.texts();
    return std::any_of(texts.begin(), texts.end(), [](const std::string& text) {
      return text.find("hits_total") != std::string::npos;
    });
  });
}

}  // namespace scaledcache::loopback
