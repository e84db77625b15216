// What the tests of the API server's transport share: a transport for a scripted peer, and the
// pieces that scripts are made of.
#pragma once

#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "http/cpprest_transport.h"
#include "support/raw_peer.h"

namespace scaledcache::http {

// Before main, as the first use of OpenSSL. One thread: where the library waits in its pool for its
// pool, these tests hang.
inline const bool kInitialized = (initialize_api_transport(1), true);

inline std::unique_ptr<CpprestTransport> transport_to(const std::string& origin,
                                                      const ClientTlsOptions& tls = {}) {
  REQUIRE(kInitialized);
  auto transport = CpprestTransport::create(origin, tls);
  REQUIRE(transport);
  return *std::move(transport);
}

inline std::unique_ptr<CpprestTransport> transport_to(const support::RawPeer& peer) {
  return transport_to(peer.url(""));
}

inline Request get(const support::RawPeer& peer,
                   std::chrono::milliseconds timeout = std::chrono::seconds{60}) {
  return {.method = Method::Get, .url = peer.url("/api"), .timeout = timeout};
}

// Long enough for any machine; a test that comes to it fails.
constexpr std::chrono::milliseconds kPatience{60'000};

// Short, for tests whose point is that it passes.
constexpr std::chrono::milliseconds kShort{150};

inline const std::string kChunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

// "hello" as one chunk, and the end of a chunked body.
inline const std::string kHelloChunk = "5\r\nhello\r\n";
inline const std::string kLastChunk = "0\r\n\r\n";

}  // namespace scaledcache::http
