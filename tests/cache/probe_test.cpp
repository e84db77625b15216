#include "cache/probe.h"

#include <doctest/doctest.h>

#include "cache/fake_pods.h"

namespace scaledcache::cache {
namespace {

const http::Address kPod = http::parse_address("10.0.0.5").value();
const PodDoor kDoor{.scheme = "http", .port = 80, .host = "www.test"};

struct Case {
  ProbeResult ask(const ProvedUrl& url, const ProbeOptions& options = {}) {
    return probe(pods, kDoor, kPod, url, options, {}).result;
  }

  support::SteppingClock clock;
  support::FakePods pods{clock};
};

TEST_CASE("a probe tells whether a page still comes out of the cache") {
  Case one;
  one.pods.site["/a"] = {};
  const ProvedUrl url{.path = "/a", .headers = {{"Accept-Encoding", "gzip"}}};
  CHECK(one.ask(url) == ProbeResult::Miss);
  CHECK(one.ask(url) == ProbeResult::Hit);
  one.pods.kept.clear();
  CHECK(one.ask(url) == ProbeResult::Miss);
  CHECK(one.pods.requests.back().method == http::Method::Get);
  CHECK(one.pods.requests.back().headers == url.headers);
  CHECK(one.pods.requests.back().timeout == Milliseconds{2'000});
}

TEST_CASE("HEAD is asked where the cache answers it") {
  Case one;
  one.pods.site["/a"] = {};
  one.ask({.path = "/a"});
  CHECK(one.ask({.path = "/a", .by_head = true}) == ProbeResult::Hit);
  CHECK(one.pods.requests.back().method == http::Method::Head);
}

TEST_CASE("what tells nothing is an error") {
  Case one;
  one.pods.site["/busy"] = {.status = 503};
  one.pods.site["/a"] = {};
  CHECK(one.ask({.path = "/busy"}) == ProbeResult::Error);
  CHECK(one.ask({.path = "not a path"}) == ProbeResult::Error);
  one.pods.refused_connections = 1;
  CHECK(one.ask({.path = "/a"}) == ProbeResult::Error);
  one.pods.says_hit = false;
  CHECK(one.ask({.path = "/a"}) == ProbeResult::Error);
}

TEST_CASE("a page that turned uncacheable is a miss, and a named header is read") {
  Case one;
  one.pods.site["/a"] = {.headers = {{"Cache-Control", "private"}, {"X-Mine", "no"}},
                         .kept_after = 0};
  CHECK(one.ask({.path = "/a"}) == ProbeResult::Miss);
  one.pods.site["/a"].headers = {{"X-Mine", "yes"}};
  CHECK(one.ask({.path = "/a"}, {.hit_header = "X-Mine"}) == ProbeResult::Hit);
}

}  // namespace
}  // namespace scaledcache::cache
