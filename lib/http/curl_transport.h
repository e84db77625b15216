// The door to everything untrusted: metrics backends and pods. Only vetted addresses are dialled,
// no redirect is followed, no proxy is asked, every answer has a limit.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>

#include "http/address.h"
#include "http/resolver.h"
#include "http/transport.h"

namespace scaledcache::http {

struct CurlOptions {
  AddressPolicy addresses{};
  std::string ca_file = "/etc/ssl/certs/ca-certificates.crt";  // read again when it changes
  std::chrono::milliseconds connect_timeout{2000};             // TCP and TLS
  std::size_t max_idle_connections = 4;
};

// Resolves, refuses the request when any address of the name is not allowed, and connects to none
// but the vetted ones, while the URL's name stays what the peer's certificate must be made out for.
// A name is resolved and vetted again for each request, also when its connection is used again.
// A request to a pod resolves nothing: its address is judged and dialled instead, and connections
// are kept for each pod apart. HTTP/1.1 only. Unless a pod gave it, an answer that is compressed or
// redirects is a Protocol error. A request is sent a second time when the peer closes a reused
// connection without answering. Messages hold host, port and a fixed phrase, never text of the
// peer. Makes the process ignore SIGPIPE.
class CurlTransport final : public HttpTransport {
 public:
  // `resolver` must outlive this object.
  CurlTransport(CurlOptions options, Resolver& resolver);
  ~CurlTransport() override;

  Result<Response> send(const Request& request, std::stop_token stop) override;

 private:
  class Impl;

  std::unique_ptr<Impl> impl_;
};

}  // namespace scaledcache::http
