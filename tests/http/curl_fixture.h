// A transport that may dial loopback, and short ways to ask it.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <utility>

#include "http/curl_transport.h"
#include "support/raw_peer.h"
#include "support/scripted_resolver.h"

namespace scaledcache::http {

// Ample: only a hang lets a test reach it.
inline constexpr std::chrono::milliseconds kAmple{60'000};
// For tests in which the peer is silent and the deadline must end the request.
inline constexpr std::chrono::milliseconds kShort{200};

struct CurlFixture {
  explicit CurlFixture(CurlOptions curl_options = {})
      : options([&] {
          curl_options.addresses.allow_loopback = true;
          return std::move(curl_options);
        }()),
        transport(options, resolver) {}

  Result<Response> get(const std::string& url,
                       std::chrono::milliseconds timeout = kAmple,
                       std::stop_token stop = {}) {
    return transport.send({.url = url, .timeout = timeout}, std::move(stop));
  }

  // What one request to a peer with this script ends with.
  Result<Response> get_from(support::Script script, std::chrono::milliseconds timeout = kAmple) {
    const support::RawPeer peer({std::move(script)});
    return get(peer.url(), timeout);
  }

  support::ScriptedResolver resolver{{"127.0.0.1"}};
  CurlOptions options;
  CurlTransport transport;
};

}  // namespace scaledcache::http
