// No peer can hold a caller beyond its deadline, and a stop ends each phase at once. Fault cases
// E1, E5, F4. Deadlines are real but short; no test measures a time.
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "http/curl_fixture.h"

namespace scaledcache::http {
namespace {

using support::Drip;
using support::ReadRequest;
using support::Stall;
using support::Write;

TEST_CASE("the total deadline ends what never ends by itself") {
  struct Row {
    const char* name;
    support::Script script;
  };

  const std::string ok = "HTTP/1.1 200 OK\r\n";
  const std::vector<Row> rows{
      {"accepts and says nothing", {Stall{}}},
      {"reads and says nothing", {ReadRequest{}, Stall{}}},
      {"stops within the header", {ReadRequest{}, Write{ok}, Stall{}}},
      {"stops within the body",
       {ReadRequest{}, Write{ok + "Content-Length: 9\r\n\r\nab"}, Stall{}}},
      {"drips its header", {ReadRequest{}, Write{ok}, Drip{"X: y\r\n"}}},
      {"drips its body", {ReadRequest{}, Write{ok + "\r\n"}, Drip{"x"}}},
      {"drips chunks",
       {ReadRequest{}, Write{ok + "Transfer-Encoding: chunked\r\n\r\n"}, Drip{"1\r\nx\r\n"}}},
  };
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      CurlFixture curl;
      const auto response = curl.get_from(row.script, kShort);
      REQUIRE(!response);
      CHECK(response.error().code == ErrorCode::Timeout);
    }
  }
}

TEST_CASE("a peer that never accepts ends at the connect timeout or the total one") {
  const support::RawPeer peer({{}, {}}, {.accepts = false});
  SUBCASE("connect timeout") {
    CurlFixture curl({.connect_timeout = kShort});
    CHECK(curl.get(peer.url()).error().code == ErrorCode::Timeout);
  }
  SUBCASE("total deadline") {
    CurlFixture curl({.connect_timeout = kAmple});
    CHECK(curl.get(peer.url(), kShort).error().code == ErrorCode::Timeout);
  }
}

TEST_CASE("a peer that stops reading ends at the deadline") {
  CurlFixture curl;
  const support::RawPeer peer({{Stall{}}});
  const auto response = curl.transport.send({.method = Method::Put,
                                             .url = peer.url(),
                                             .body = std::string(std::size_t{16} << 20, 'x'),
                                             .timeout = kShort},
                                            {});
  REQUIRE(!response);
  CHECK(response.error().code == ErrorCode::Timeout);
}

TEST_CASE("a peer that never shakes hands ends at the deadline") {
  CurlFixture curl;
  const support::RawPeer peer({{Stall{}}});
  CHECK(curl.get("https" + peer.url().substr(4), kShort).error().code == ErrorCode::Timeout);
}

TEST_CASE("E4: a resolver that hangs counts against the same deadline") {
  auto release = std::make_shared<std::latch>(1);
  SystemResolver resolver(1, [release](const std::string&) -> Result<std::vector<Address>> {
    release->wait();
    return std::vector<Address>{*parse_address("127.0.0.1")};
  });
  CurlTransport transport({}, resolver);
  const auto response = transport.send({.url = "http://vm.test/", .timeout = kShort}, {});
  REQUIRE(!response);
  CHECK(response.error().code == ErrorCode::Timeout);
  CHECK(response.error().message == "vm.test:80: resolving the name took too long");
  release->count_down();
}

TEST_CASE("no time at all is a timeout, not an endless wait") {
  CurlFixture curl;
  CHECK(curl.get_from({Stall{}}, std::chrono::milliseconds{0}).error().code == ErrorCode::Timeout);
}

TEST_CASE("a stop ends a request in each phase") {
  struct Row {
    const char* name;
    support::Script script;
    std::size_t connections;  // what the peer has seen when the stop comes
    std::size_t requests;
  };

  const std::string ok = "HTTP/1.1 200 OK\r\n";
  const std::vector<Row> rows{
      {"request not read", {Stall{}}, 1, 0},
      {"before the header", {ReadRequest{}, Stall{}}, 1, 1},
      {"within the header", {ReadRequest{}, Write{ok}, Stall{}}, 1, 1},
      {"within the body", {ReadRequest{}, Write{ok + "\r\nab"}, Stall{}}, 1, 1},
      {"while bytes flow", {ReadRequest{}, Write{ok + "\r\n"}, support::Repeat{"x"}}, 1, 1},
  };
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      CurlFixture curl;
      const support::RawPeer peer({row.script});
      std::stop_source stop;
      const std::jthread stopper([&] {
        peer.wait_for_connections(row.connections);
        peer.wait_for_requests(row.requests);
        stop.request_stop();
      });
      const auto response = curl.transport.send(
          {.url = peer.url(), .timeout = kAmple, .max_body_bytes = std::size_t{1} << 40},
          stop.get_token());
      REQUIRE(!response);
      CHECK(response.error().code == ErrorCode::Cancelled);
    }
  }
}

TEST_CASE("a stop ends a request that is still connecting") {
  const support::RawPeer peer({{}, {}}, {.accepts = false});
  CurlFixture curl({.connect_timeout = kAmple});
  std::stop_source stop;
  const std::jthread stopper([&] { stop.request_stop(); });
  CHECK(curl.get(peer.url(), kAmple, stop.get_token()).error().code == ErrorCode::Cancelled);
}

TEST_CASE("a stop that came before the request sends nothing") {
  const support::RawPeer peer({{Stall{}}});
  CurlFixture curl;
  std::stop_source stop;
  stop.request_stop();
  CHECK(curl.get(peer.url(), kAmple, stop.get_token()).error().code == ErrorCode::Cancelled);
  CHECK(peer.requests().empty());
}

}  // namespace
}  // namespace scaledcache::http
