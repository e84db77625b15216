#include "controller/own_traffic.h"

#include <doctest/doctest.h>

#include "support/fake_clock.h"

namespace scaledcache::controller {
namespace {

using namespace std::chrono_literals;

class OneAnswer final : public http::HttpTransport {
 public:
  Result<http::Response> answer{http::Response{503, {}, "", 0}};

  Result<http::Response> send(const http::Request&, std::stop_token) override { return answer; }
};

http::Request to_pod(const char* address) {
  http::Request request;
  request.pod = http::PodCall{.address = http::parse_address(address).value()};
  return request;
}

core::PodFacts pod_at(const char* address) {
  core::PodFacts pod;
  pod.address = address;
  return pod;
}

struct Case {
  [[nodiscard]] std::vector<core::OwnRequests> sent_to(const char* address) const {
    std::vector<core::PodFacts> asked{pod_at(address)};
    traffic.add_to(asked);
    return asked[0].own;
  }

  support::FakeClock clock;
  OneAnswer pods;
  OwnTraffic traffic;
  CountedTransport counted{pods, traffic, clock};
};

TEST_CASE("every answer of a pod counts, whatever it says, by the second and the address") {
  Case world;
  const WallTime start = world.clock.wall();
  (void)world.counted.send(to_pod("10.0.0.5"), {});
  (void)world.counted.send(to_pod("10.0.0.5"), {});
  world.clock.advance(1s);
  (void)world.counted.send(to_pod("10.0.0.5"), {});
  (void)world.counted.send(to_pod("fd00::7"), {});
  CHECK(world.sent_to("10.0.0.5") == std::vector<core::OwnRequests>{{start, 2}, {start + 1s, 1}});
  CHECK(world.sent_to("fd00:0:0::7") == std::vector<core::OwnRequests>{{start + 1s, 1}});
  CHECK(world.sent_to("10.0.0.6").empty());
  CHECK(world.sent_to("").empty());
}

TEST_CASE("what was not answered, or went elsewhere, does not count") {
  Case world;
  (void)world.counted.send(http::Request{}, {});
  world.pods.answer = Error{ErrorCode::Timeout, "no answer"};
  CHECK_FALSE(world.counted.send(to_pod("10.0.0.5"), {}));
  CHECK(world.sent_to("10.0.0.5").empty());
}

TEST_CASE("pods that have not been asked for long are forgotten when another one is") {
  Case world;
  (void)world.counted.send(to_pod("10.0.0.5"), {});
  world.clock.advance(core::kOwnRequestsKept + 1s);
  CHECK(world.sent_to("10.0.0.5").size() == 1);
  (void)world.counted.send(to_pod("10.0.0.6"), {});
  CHECK(world.sent_to("10.0.0.5").empty());
}

}  // namespace
}  // namespace scaledcache::controller
