// Answers without end from the API server's transport: watches.
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
using support::Stall;
using support::Write;

struct Watched {
  Result<Response> result;
  std::string bytes;
};

Watched watch(const RawPeer& peer, std::chrono::milliseconds idle, std::stop_token stop = {}) {
  std::string bytes;
  auto result = transport_to(peer)->stream(
      get(peer), idle,
      [&](std::string_view more) {
        bytes += more;
        return true;
      },
      std::move(stop));
  return {std::move(result), std::move(bytes)};
}

TEST_CASE("a clean end is told from every kind of cut") {
  struct Row {
    const char* name;
    Script script;
    std::optional<ErrorCode> want;  // nothing: a clean end
  };

  for (const Row& row : {
           Row{"the last chunk", {Write{kChunkedHead + kHelloChunk + kLastChunk}}, std::nullopt},
           Row{"closed between chunks",
               {Write{kChunkedHead + kHelloChunk}},
               ErrorCode::Unavailable},
           Row{"closed inside a chunk size",
               {Write{kChunkedHead + kHelloChunk + "1"}},
               ErrorCode::Unavailable},
           Row{"closed inside a chunk",
               {Write{kChunkedHead + kHelloChunk + "9\r\nhe"}},
               ErrorCode::Unavailable},
           Row{"closed inside the end",
               {Write{kChunkedHead + kHelloChunk + "0\r\n"}},
               ErrorCode::Unavailable},
           Row{"reset", {Write{kChunkedHead + kHelloChunk}, Reset{}}, ErrorCode::Unavailable},
           Row{"chunk size -1",
               {Write{kChunkedHead + kHelloChunk + "-1\r\nxx\r\n"}, Stall{}},
               ErrorCode::Protocol},
       }) {
    SUBCASE(row.name) {
      Script script{ReadRequest{}};
      script.insert(script.end(), row.script.begin(), row.script.end());
      const RawPeer peer({script});
      const Watched watched = watch(peer, kPatience);
      if (row.want) {
        REQUIRE_FALSE(watched.result);
        CHECK_MESSAGE(watched.result.error().code == *row.want, watched.result.error().message);
      } else {
        REQUIRE(watched.result);
        CHECK(watched.result->status == 200);
        CHECK(watched.result->body.empty());
        CHECK(watched.bytes == "hello");
      }
    }
  }
}

TEST_CASE("a body closed by TLS without its last chunk is cut, even after a proper goodbye") {
  const auto authority = support::make_authority();
  const auto identity = support::make_identity({.alternative_names = "IP:127.0.0.1"}, &authority);
  const RawPeer peer({{ReadRequest{}, Write{kChunkedHead + kHelloChunk}}}, {.tls = identity});
  const auto transport =
      transport_to(peer.url(""), {.ca_pem = support::certificate_pem(authority)});
  const auto result =
      transport->stream(get(peer), kPatience, [](std::string_view) { return true; }, {});
  REQUIRE_FALSE(result);
  CHECK(result.error().code == ErrorCode::Unavailable);
}

TEST_CASE("bytes arrive while the answer goes on") {
  const RawPeer peer({{ReadRequest{}, Write{kChunkedHead + kHelloChunk}, Stall{}}});
  const auto result = transport_to(peer)->stream(get(peer), kPatience,
                                                 [](std::string_view bytes) {
                                                   CHECK(bytes == "hello");
                                                   return false;
                                                 },
                                                 {});
  REQUIRE(result);
  CHECK(result->status == 200);
}

TEST_CASE("a stream cut at odd places between frames arrives whole and in order") {
  std::string frames;
  for (int i = 0; i < 2000; ++i) {
    frames += R"({"type":"ADDED","object":{"metadata":{"name":")" + std::to_string(i) + "\"}}}\n";
  }
  std::string wire = kChunkedHead;
  std::size_t size = 1;
  for (std::size_t at = 0; at < frames.size(); at += size) {
    size = size % 251 + 1;
    const std::string chunk = frames.substr(at, size);
    char digits[8];
    std::snprintf(digits, sizeof digits, "%zx", chunk.size());
    wire += digits + ("\r\n" + chunk) + "\r\n";
  }
  wire += kLastChunk;
  Script script{ReadRequest{}};
  for (std::size_t at = 0; at < wire.size(); at += 1009) {
    script.push_back(Write{wire.substr(at, 1009)});
  }
  const RawPeer peer({script});
  const Watched watched = watch(peer, kPatience);
  REQUIRE(watched.result);
  CHECK(watched.bytes == frames);
}

TEST_CASE("silence after the head, or after some bytes, is Timeout") {
  for (const std::string& start : {kChunkedHead, kChunkedHead + kHelloChunk}) {
    const RawPeer peer({{ReadRequest{}, Write{start}, Stall{}}});
    const Watched watched = watch(peer, kShort);
    REQUIRE_FALSE(watched.result);
    CHECK(watched.result.error().code == ErrorCode::Timeout);
  }
}

TEST_CASE("no head in time is Timeout") {
  const RawPeer peer({{ReadRequest{}, Stall{}}});
  const auto result = transport_to(peer)->stream(get(peer, kShort), kPatience,
                                                 [](std::string_view) { return true; }, {});
  CHECK(result.error().code == ErrorCode::Timeout);
}

TEST_CASE("a stop ends a silent stream and a busy one, and closes its connection") {
  for (const Script& script : {Script{ReadRequest{}, Write{kChunkedHead + kHelloChunk}, Stall{}},
                               Script{ReadRequest{}, Write{kChunkedHead}, Repeat{kHelloChunk}}}) {
    const RawPeer peer({script});
    const auto transport = transport_to(peer);
    std::stop_source stop;
    const auto result = transport->stream(
        get(peer), kPatience,
        [&](std::string_view) {
          stop.request_stop();
          return true;
        },
        stop.get_token());
    REQUIRE_FALSE(result);
    CHECK(result.error().code == ErrorCode::Cancelled);
  }
}

TEST_CASE("a reader that has enough ends the stream") {
  const RawPeer peer({{ReadRequest{}, Write{kChunkedHead}, Repeat{kHelloChunk}}});
  std::size_t calls = 0;
  const auto result = transport_to(peer)->stream(get(peer), kPatience,
                                                 [&](std::string_view) { return ++calls < 3; }, {});
  REQUIRE(result);
  CHECK(calls == 3);
}

TEST_CASE("a refusal of the watch comes back with its body and never reaches the sink") {
  const RawPeer peer({{ReadRequest{}, Write{answer("410 Gone", R"({"kind":"Status"})")}}});
  const Watched watched = watch(peer, kPatience);
  REQUIRE(watched.result);
  CHECK(watched.result->status == 410);
  CHECK(watched.result->body == R"({"kind":"Status"})");
  CHECK(watched.bytes.empty());
}

TEST_CASE("the body of a refusal is capped and cannot drip for ever") {
  const RawPeer large({{ReadRequest{}, Write{answer("500 Oops", std::string(100, 'x'))}}});
  Request request = get(large);
  request.max_body_bytes = 99;
  const auto ignore = [](std::string_view) { return true; };
  CHECK(transport_to(large)->stream(request, kPatience, ignore, {}).error().code ==
        ErrorCode::Protocol);

  const RawPeer slow(
      {{ReadRequest{}, Write{"HTTP/1.1 500 Oops\r\nContent-Length: 9999\r\n\r\n"}, Drip{"x"}}});
  CHECK(transport_to(slow)->stream(get(slow), kShort, ignore, {}).error().code ==
        ErrorCode::Timeout);
}

TEST_CASE("a slow reader holds the peer back instead of filling memory") {
  const RawPeer peer({{ReadRequest{}, Write{kChunkedHead},
                       Repeat{"1000\r\n" + std::string(0x1000, 'x') + "\r\n"}}});
  std::size_t largest = 0;
  std::size_t total = 0;
  const auto result = transport_to(peer)->stream(get(peer), kPatience,
                                                 [&](std::string_view bytes) {
                                                   largest = std::max(largest, bytes.size());
                                                   total += bytes.size();
                                                   return total < std::size_t{64} << 20;
                                                 },
                                                 {});
  REQUIRE(result);
  CHECK(largest <= std::size_t{512} << 10);
}

}  // namespace
}  // namespace scaledcache::http
