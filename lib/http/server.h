// A small HTTP/1.1 server for what the operator shows: metrics, health, status page and webhook.
// Every peer is a stranger: everything it may take is limited.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "http/certificate.h"
#include "http/transport.h"

namespace scaledcache::http {

struct ServerRequest {
  Method method = Method::Get;  // Get, Head or Post
  std::string path{};           // as it came, without the query
  std::string query{};          // as it came, without '?'
  Headers headers{};
  std::string body{};
};

// Runs on the server's thread: it must not block, and answers from memory. An exception is a 500.
using Handler = std::function<Response(const ServerRequest&)>;

struct Route {
  std::string path{};           // compared whole
  Method method = Method::Get;  // Get (its handler answers HEAD too, without the body) or Post
  Handler handler;
  bool streams =
      false;  // an answer of 200 has no end: its body is the beginning, publish() goes on
};

struct ServerOptions {
  std::string address{};   // an IP literal; empty: every address, IPv6 and IPv4
  std::uint16_t port = 0;  // 0: any free one
  std::size_t max_header_bytes = std::size_t{16} << 10;
  std::size_t max_body_bytes = std::size_t{7} << 20;  // of a POST; nothing else may have a body
  std::chrono::milliseconds header_timeout{5'000};    // from the first byte, or the connection; for
                                                      // a TLS handshake as much again
  std::chrono::milliseconds request_timeout{10'000};  // to the last byte of the answer
  std::chrono::milliseconds idle_timeout{30'000};     // between two requests
  std::size_t max_connections = 64;  // one more, and the one quiet for longest is closed
  std::size_t max_streams = 16;      // one more gets 503
  std::size_t max_stream_backlog = std::size_t{1} << 20;  // bytes that may wait for one reader;
                                                          // with more it is closed
  bool tls = false;  // TLS only; until use_identity() connections are closed at once
};

// Serves from construction to destruction on one thread of its own. Answers 404 and 405 by the
// routes; 400, 413 and 431 by the limits; a peer that is too slow is closed without an answer.
class HttpServer {
 public:
  // Listening when it returns. Invalid: the address is no IP literal. Unavailable: the port is
  // taken or the address is not ours.
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>> start(ServerOptions options,
                                                                 std::vector<Route> routes);

  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Waits for a running handler, closes every connection.
  ~HttpServer();

  // The port it listens on. Any thread.
  [[nodiscard]] std::uint16_t port() const;

  // Sends `bytes` to everybody who reads the streaming route `path`. Any thread; does not wait. A
  // handler that answers from state changed before a publish() misses nothing of it.
  void publish(const std::string& path, std::string bytes);

  // How many streams are open. Any thread.
  [[nodiscard]] std::size_t streams() const;

  // Needs options.tls. Connections accepted from now on are shown this certificate; those that are
  // open, or in the middle of their handshake, go on with theirs. Invalid, and everything stays as
  // it was, when it cannot be used. Any thread.
  [[nodiscard]] Result<void> use_identity(const PemIdentity& identity);

 private:
  class Listener;

  explicit HttpServer(std::unique_ptr<Listener> listener);

  std::unique_ptr<Listener> listener_;
};

}  // namespace scaledcache::http
