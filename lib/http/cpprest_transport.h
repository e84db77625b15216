// The Kubernetes API server over cpprestsdk: cpprest_transport.cpp is the only file that knows that
// library. For an authenticated peer only: a peer can make it buffer a chunk of any size.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

#include "http/tls.h"
#include "http/transport.h"

namespace scaledcache::http {

// Sizes the library's thread pool, keeps OpenSSL from loading the system's trust anchors for each
// connection (SSL_CERT_FILE and SSL_CERT_DIR then name nothing) and from cleaning up under the pool
// at exit. To be called once, before the process has a second thread and before any other use of
// OpenSSL; a later call has no effect.
void initialize_api_transport(int threads);

// One per purpose (requests, lease, each watch), so that a slow one holds up no other. Thread safe.
//
// Beyond the promises of HttpStreamTransport:
//  - a kept-alive connection that the server has closed makes the library send the request again,
//    writes included: a write must be safe to apply twice;
//  - redirects, compressed answers and answers without chunks or length are Protocol;
//  - after Protocol the next request uses a new connection;
//  - a body above 64 MiB is Protocol, whatever the request allows;
//  - request headers Host, Connection, Accept-Encoding, Content-Length and Transfer-Encoding belong
//    to the library: Invalid.
class CpprestTransport final : public HttpStreamTransport {
 public:
  // `origin` is "https://host", "https://host:port" or the same with http, without a path. Invalid
  // when it is not, when the host is an IPv6 literal (the library cannot resolve one) or when the
  // TLS material cannot be used. Connects to nothing.
  [[nodiscard]] static Result<std::unique_ptr<CpprestTransport>> create(
      const std::string& origin, const ClientTlsOptions& tls);

  ~CpprestTransport() override;

  // `request.url` starts with the origin.
  Result<Response> send(const Request& request, std::stop_token stop) override;

  Result<Response> stream(const Request& request,
                          std::chrono::milliseconds idle_timeout,
                          const ByteSink& sink,
                          std::stop_token stop) override;

  // Connections made from now on use `tls`; those in use live on until their answer ends. Invalid
  // leaves the old material in place; equal material changes nothing.
  [[nodiscard]] Result<void> update_tls(const ClientTlsOptions& tls);

 private:
  class Connector;

  explicit CpprestTransport(std::unique_ptr<Connector> connector);

  std::unique_ptr<Connector> connector_;
};

}  // namespace scaledcache::http
