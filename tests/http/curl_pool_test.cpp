// Connections are used again, and neither they nor descriptors pile up.
#include "http/curl_pool.h"

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "http/curl_fixture.h"

namespace scaledcache::http {
namespace {

using support::ReadRequest;
using support::Serve;
using support::Write;

const std::string kOk = support::answer("200 OK", "ok");

std::ptrdiff_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(begin(all), end(all));
}

TEST_CASE("what talked to an origin is given out for it again, the rest is made anew") {
  set_up_curl();
  CurlPool pool(2);
  CurlMulti a = pool.take("a");
  CurlMulti b = pool.take("b");
  CURLM* const was_a = a.get();
  CURLM* const was_b = b.get();
  pool.put("a", std::move(a));
  pool.put("b", std::move(b));
  CurlMulti other = pool.take("c");
  CHECK(other.get() != was_a);
  CHECK(other.get() != was_b);
  CurlMulti again = pool.take("b");
  CHECK(again.get() == was_b);
  SUBCASE("the longest unused goes when there are too many") {
    pool.put("c", std::move(other));
    pool.put("b", std::move(again));
    const CurlMulti kept = pool.take("b");
    CHECK(kept.get() == was_b);
    const std::ptrdiff_t before = open_descriptors();
    const CurlMulti fresh = pool.take("a");
    CHECK(open_descriptors() > before);
  }
}

TEST_CASE("requests to one peer share a connection") {
  CurlFixture curl;
  const support::RawPeer peer({{Serve{kOk}}});
  for (int i = 0; i < 5; ++i) {
    REQUIRE(curl.get(peer.url()));
  }
  CHECK(peer.connections() == 1);
  CHECK(peer.requests().size() == 5);
}

TEST_CASE("a connection that the peer closed meanwhile is replaced") {
  CurlFixture curl;
  const support::RawPeer peer({{ReadRequest{}, Write{kOk}}, {Serve{kOk}}});
  CHECK(curl.get(peer.url()));
  CHECK(curl.get(peer.url()));
  CHECK(peer.connections() == 2);
}

TEST_CASE("a refused answer does not spoil the next one") {
  CurlFixture curl;
  const support::RawPeer peer(
      {{Serve{"HTTP/1.1 302 Found\r\nContent-Length: 9\r\n\r\nHTTP/1.1 "}}, {Serve{kOk}}});
  CHECK(!curl.get(peer.url()));
  const auto response = curl.get(peer.url());
  REQUIRE_MESSAGE(response, response.error().message);
  CHECK(response->body == "ok");
  CHECK(peer.connections() == 2);
}

TEST_CASE("descriptors stay few over hundreds of requests of all fates") {
  CurlFixture curl;
  const std::ptrdiff_t before = open_descriptors();
  {
    const support::RawPeer good({{Serve{kOk}}});
    const support::RawPeer closes({{ReadRequest{}, Write{kOk}}});
    const support::RawPeer breaks({{ReadRequest{}, Write{"HTTP/1.1 200 OK\r\nA: b\r\n\tc\r\n"}}});
    for (int i = 0; i < 200; ++i) {
      REQUIRE(curl.get(good.url()));
      REQUIRE(curl.get(closes.url()));
      REQUIRE(!curl.get(breaks.url()));
    }
    CHECK(good.connections() == 1);
    CHECK(closes.connections() == 200);
  }
  // For each of the three peers a connection and what libcurl needs to be woken up.
  CHECK(open_descriptors() <= before + 9);
}

TEST_CASE("many threads share a transport") {
  const support::RawPeer peer({{Serve{kOk}}});
  CurlFixture curl;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < 20; ++n) {
          const auto response = curl.get(peer.url());
          CHECK((response && response->body == "ok"));
        }
      });
    }
  }
  CHECK(peer.requests().size() == 160);
}

}  // namespace
}  // namespace scaledcache::http
