// Whole answers from the API server's transport, against peers that keep the protocol or break it.
#include "http/cpprest_transport.h"

#include <array>
#include <filesystem>

#include <doctest/doctest.h>

#include "http/api_peer.h"

namespace scaledcache::http {
namespace {

using support::answer;
using support::Drip;
using support::RawPeer;
using support::ReadRequest;
using support::Repeat;
using support::Reset;
using support::Script;
using support::Serve;
using support::Stall;
using support::Write;

TEST_CASE("status, headers and body come back whole") {
  const RawPeer peer({{ReadRequest{}, Write{"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 5\r\n"
                                            "Content-Length: 4\r\n\r\nwait"}}});
  const auto response = transport_to(peer)->send(get(peer), {}).value();
  CHECK(response.status == 429);
  CHECK(find_header(response.headers, "retry-after") == "5");
  CHECK(response.body == "wait");
}

TEST_CASE("a request says what it was told, and asks for no compression") {
  const RawPeer peer({{Serve{answer("200 OK", "{}")}}});
  Request patch = get(peer);
  patch.method = Method::Patch;
  patch.url = peer.url("/apis/apps/v1/x%2Fy?fieldManager=me&labelSelector=a%3Db");
  patch.headers = {{"Content-Type", "application/merge-patch+json"},
                   {"Authorization", "Bearer token"}};
  patch.body = R"({"spec":{}})";
  REQUIRE(transport_to(peer)->send(patch, {}));
  const std::string seen = peer.requests().at(0);
  INFO(seen);
  CHECK(seen.starts_with(
      "PATCH /apis/apps/v1/x%2Fy?fieldManager=me&labelSelector=a%3Db HTTP/1.1\r\n"));
  CHECK(seen.find("\r\nContent-Type:application/merge-patch+json\r\n") != std::string::npos);
  CHECK(seen.find("\r\nAuthorization:Bearer token\r\n") != std::string::npos);
  CHECK(seen.find("\r\nHost: 127.0.0.1:" + std::to_string(peer.port()) + "\r\n") !=
        std::string::npos);
  CHECK(seen.ends_with("\r\n\r\n{\"spec\":{}}"));
  CHECK(seen.find("ncoding") == std::string::npos);
}

TEST_CASE("an answer that breaks the protocol is an error, and the next request is not spoilt") {
  const std::string head = "HTTP/1.1 200 OK\r\n";

  struct Row {
    const char* name;
    std::string answer;
    ErrorCode want;
  };

  for (const Row& row : {
           Row{"chunk size -1", kChunkedHead + "-1\r\nxx\r\n" + kLastChunk, ErrorCode::Protocol},
           Row{"chunk size -2", kChunkedHead + "-2\r\nxx\r\n" + kLastChunk, ErrorCode::Protocol},
           Row{"chunk size beyond 31 bits", kChunkedHead + "fffffffff\r\nx", ErrorCode::Protocol},
           Row{"chunk size that is no number", kChunkedHead + "zz\r\nx\r\n", ErrorCode::Protocol},
           Row{"no last chunk", kChunkedHead + kHelloChunk, ErrorCode::Unavailable},
           Row{"a chunk cut short", kChunkedHead + "9\r\nhello", ErrorCode::Unavailable},
           Row{"half of the end", kChunkedHead + kHelloChunk + "0\r\n", ErrorCode::Unavailable},
           Row{"a body cut short", head + "Content-Length: 9\r\n\r\nhello", ErrorCode::Unavailable},
           Row{"headers cut short", head + "Content-Le", ErrorCode::Unavailable},
           Row{"no answer at all", "", ErrorCode::Unavailable},
           Row{"no HTTP", "SSH-2.0-OpenSSH_9.2\r\n\r\n", ErrorCode::Protocol},
           Row{"early hints",
               "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + answer("200 OK", "hi"),
               ErrorCode::Protocol},
           Row{"gzip that was not asked for",
               head + "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n\x1f\x8b",
               ErrorCode::Protocol},
           Row{"a body without an end", head + "\r\nhello", ErrorCode::Protocol},
           Row{"headers of 1 MiB",
               head + "X: " + std::string(1 << 20, 'x') + "\r\nContent-Length: 2\r\n\r\nhi",
               ErrorCode::Protocol},
           Row{"a body announced too long", head + "Content-Length: 99999999999\r\n\r\nx",
               ErrorCode::Protocol},
       }) {
    SUBCASE(row.name) {
      const RawPeer peer({{ReadRequest{}, Write{row.answer}}, {Serve{answer("200 OK", "fine")}}});
      const auto transport = transport_to(peer);
      const auto broken = transport->send(get(peer), {});
      REQUIRE_FALSE(broken);
      CHECK_MESSAGE(broken.error().code == row.want, broken.error().message);
      CHECK(transport->send(get(peer), {}).value().body == "fine");
    }
  }
}

TEST_CASE("a chunked body comes back whole, with extensions and odd cuts") {
  const RawPeer peer({{ReadRequest{}, Write{kChunkedHead + "5;name=value\r\nhel"},
                       Write{"lo\r\n1\r\n \r"}, Write{"\n5\r\nworld\r\n0\r\n"}, Write{"\r\n"}}});
  CHECK(transport_to(peer)->send(get(peer), {}).value().body == "hello world");
}

TEST_CASE("trailers do not spoil the next answer") {
  const RawPeer peer({{ReadRequest{}, Write{kChunkedHead + kHelloChunk + "0\r\nX-Late: 1\r\n\r\n"},
                       ReadRequest{}, Write{answer("200 OK", "fine")}},
                      {Serve{answer("200 OK", "fine")}}});
  const auto transport = transport_to(peer);
  CHECK(transport->send(get(peer), {}).value().body == "hello");
  const auto next = transport->send(get(peer), {});
  CHECK((next ? next->body : transport->send(get(peer), {}).value().body) == "fine");
}

TEST_CASE("a body beyond the limit ends the request, chunked or endless") {
  for (const Script& script :
       {Script{ReadRequest{}, Write{kChunkedHead + kHelloChunk + kLastChunk}},
        Script{ReadRequest{}, Write{kChunkedHead}, Repeat{kHelloChunk}}}) {
    const RawPeer peer({script});
    Request request = get(peer);
    request.max_body_bytes = 4;
    const auto response = transport_to(peer)->send(request, {});
    REQUIRE_FALSE(response);
    CHECK(response.error().code == ErrorCode::Protocol);
  }
}

TEST_CASE("a redirect is not followed and takes no credentials along") {
  const RawPeer elsewhere({{Serve{answer("200 OK", "caught")}}});
  const RawPeer peer(
      {{ReadRequest{}, Write{"HTTP/1.1 307 Temporary Redirect\r\nLocation: " + elsewhere.url("/") +
                             "\r\nContent-Length: 0\r\n\r\n"}}});
  Request request = get(peer);
  request.headers = {{"Authorization", "Bearer token"}};
  const auto response = transport_to(peer)->send(request, {});
  REQUIRE_FALSE(response);
  CHECK(response.error().code == ErrorCode::Protocol);
  CHECK(elsewhere.connections() == 0);
}

TEST_CASE("the total deadline ends every kind of waiting") {
  struct Row {
    const char* name;
    Script script;
  };

  for (const Row& row : {
           Row{"no answer", {ReadRequest{}, Stall{}}},
           Row{"nothing is read", {Stall{}}},
           Row{"headers drip", {ReadRequest{}, Write{"HTTP/1.1 200 OK\r\nX: "}, Drip{"x"}}},
           Row{"a body drips",
               {ReadRequest{}, Write{"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n"},
                Drip{"x"}}},
           Row{"chunks drip", {ReadRequest{}, Write{kChunkedHead}, Drip{kHelloChunk}}},
       }) {
    SUBCASE(row.name) {
      const RawPeer peer({row.script});
      const auto response = transport_to(peer)->send(get(peer, kShort), {});
      REQUIRE_FALSE(response);
      CHECK(response.error().code == ErrorCode::Timeout);
    }
  }
}

TEST_CASE("the total deadline ends a connection attempt") {
  const RawPeer peer({{}}, {.accepts = false});
  CHECK(transport_to(peer)->send(get(peer, kShort), {}).error().code == ErrorCode::Timeout);
}

TEST_CASE("a stop ends every kind of waiting") {
  struct Row {
    const char* name;
    Script script;
    std::size_t requests_first;
  };

  for (const Row& row : {
           Row{"before the request is read", {Stall{}}, 0},
           Row{"before the head", {ReadRequest{}, Stall{}}, 1},
           Row{"inside the head", {ReadRequest{}, Write{"HTTP/1.1 2"}, Stall{}}, 1},
           Row{"inside the body", {ReadRequest{}, Write{kChunkedHead + kHelloChunk}, Stall{}}, 1},
       }) {
    SUBCASE(row.name) {
      const RawPeer peer({row.script});
      const auto transport = transport_to(peer);
      std::stop_source stop;
      const std::jthread stopper([&] {
        peer.wait_for_connections(1);
        peer.wait_for_requests(row.requests_first);
        stop.request_stop();
      });
      CHECK(transport->send(get(peer), stop.get_token()).error().code == ErrorCode::Cancelled);
    }
  }
}

TEST_CASE("a stop before the start sends nothing that is waited for") {
  const RawPeer peer({{Stall{}}});
  std::stop_source stop;
  stop.request_stop();
  CHECK(transport_to(peer)->send(get(peer), stop.get_token()).error().code == ErrorCode::Cancelled);
}

TEST_CASE("a kept connection that the server closes makes the write come twice, not more") {
  const Script once{ReadRequest{}, Write{answer("200 OK", "first")}, ReadRequest{}};
  const RawPeer peer({once, {Serve{answer("200 OK", "second")}}});
  const auto transport = transport_to(peer);
  Request patch = get(peer);
  patch.method = Method::Patch;
  patch.body = "{}";
  CHECK(transport->send(patch, {}).value().body == "first");
  CHECK(transport->send(patch, {}).value().body == "second");
  const std::size_t seen = peer.requests().size();
  CHECK(seen >= 2);
  CHECK(seen <= 3);
}

TEST_CASE("a new connection that is reset is Unavailable and not tried again") {
  const RawPeer peer({{ReadRequest{}, Reset{}}});
  const auto response = transport_to(peer)->send(get(peer), {});
  REQUIRE_FALSE(response);
  CHECK(response.error().code == ErrorCode::Unavailable);
  CHECK(peer.connections() == 1);
}

TEST_CASE("a port where nobody listens, and a name that does not exist, are Unavailable") {
  std::string origin;
  {
    const RawPeer gone({Script{}});
    origin = gone.url("");
  }
  for (const std::string& nowhere : {origin, std::string("http://no-such-host.invalid")}) {
    const auto response =
        transport_to(nowhere)->send({.url = nowhere + "/", .timeout = kPatience}, {});
    REQUIRE_FALSE(response);
    CHECK(response.error().code == ErrorCode::Unavailable);
    CHECK(response.error().message.starts_with(nowhere + ": "));
  }
}

TEST_CASE("a request that can never be sent is Invalid") {
  const RawPeer peer({{Stall{}}});
  const auto transport = transport_to(peer);

  struct Row {
    const char* name;
    Request request;
  };

  for (const Row& row : {
           Row{"another origin", {.url = "http://127.0.0.1:1/"}},
           Row{"an origin that only starts alike", {.url = peer.url("") + "0/"}},
           Row{"a path that is no URI", {.url = peer.url("/a b")}},
           Row{"a header with a line break",
               {.url = peer.url("/"), .headers = {{"A", "b\r\nC: d"}}}},
           Row{"a Host header", {.url = peer.url("/"), .headers = {{"host", "other"}}}},
           Row{"compression", {.url = peer.url("/"), .headers = {{"Accept-Encoding", "gzip"}}}},
       }) {
    SUBCASE(row.name) {
      const auto response = transport->send(row.request, {});
      REQUIRE_FALSE(response);
      CHECK(response.error().code == ErrorCode::Invalid);
      CHECK(peer.connections() == 0);
    }
  }
}

TEST_CASE("an origin that no API server can have is Invalid") {
  for (const char* origin :
       {"", "api", "ftp://api", "https://", "https://api/path", "https://user@api", "https://a b",
        "https://[::1]:6443", "https://api?x"}) {
    CAPTURE(origin);
    const auto transport = CpprestTransport::create(origin, {.insecure_skip_verify = true});
    REQUIRE_FALSE(transport);
    CHECK(transport.error().code == ErrorCode::Invalid);
  }
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    ++count;
  }
  return count;
}

TEST_CASE("requests that end well, badly or early leave no descriptor behind") {
  const Script refused{ReadRequest{}, Write{"nonsense\r\n\r\n"}};
  const Script silent{ReadRequest{}, Stall{}};
  const Script closing{ReadRequest{}, Write{"HTTP/1.1 200 OK\r\nConnection: close\r\n"
                                            "Content-Length: 0\r\n\r\n"}};
  CHECK_FALSE(transport_to("http://127.0.0.1:1")->send({.url = "http://127.0.0.1:1/"}, {}));
  const std::size_t before = open_descriptors();
  {
    std::vector<Script> scripts;
    for (int i = 0; i < 40; ++i) {
      scripts.insert(scripts.end(), {refused, silent, closing});
    }
    const RawPeer peer(scripts);
    const auto transport = transport_to(peer);
    for (int i = 0; i < 40; ++i) {
      CHECK_FALSE(transport->send(get(peer), {}));
      CHECK_FALSE(transport->send(get(peer, std::chrono::milliseconds{20}), {}));
      CHECK(transport->send(get(peer), {}));
    }
  }
  // The library closes the last ones in its own time: at most one of each kind.
  CHECK(open_descriptors() <= before + 3);
}

TEST_CASE("many requests at once share one transport") {
  const RawPeer peer({{Serve{answer("200 OK", "fine")}}});
  const auto transport = transport_to(peer);
  std::array<std::string, 16> bodies;
  {
    std::vector<std::jthread> threads;
    for (std::string& body : bodies) {
      threads.emplace_back([&] {
        for (int i = 0; i < 8; ++i) {
          const auto response = transport->send(get(peer), {});
          body += response ? response->body : response.error().message;
        }
      });
    }
  }
  std::string want;
  for (int i = 0; i < 8; ++i) {
    want += "fine";
  }
  for (const std::string& body : bodies) {
    CHECK(body == want);
  }
  CHECK(peer.requests().size() == bodies.size() * 8);
}

}  // namespace
}  // namespace scaledcache::http
