// A small HTTP/1.1 server on loopback whose handlers may also misbehave: cut, stall, drip, or write
// bytes that are no HTTP. Each connection has a thread of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "support/certificates.h"
#include "support/peer_connection.h"

#include "loopback/http_request.h"

namespace scaledcache::loopback {

using HeaderList = std::vector<std::pair<std::string, std::string>>;

// One request and the way to answer it. Used by one handler on one thread.
class HttpExchange {
 public:
  HttpExchange(HttpRequest request, support::PeerConnection& connection)
      : request_(std::move(request)), connection_(connection) {}

  [[nodiscard]] const HttpRequest& request() const { return request_; }

  // A whole answer with Content-Length and Date; the connection stays open for the next request.
  void answer(int status, std::string_view body, const HeaderList& headers = {});

  // An answer without an announced end, in chunks. Both return false once the client is gone.
  bool begin_stream();
  bool write_chunk(std::string_view bytes);
  void end_stream();

  // Bytes as they are; false once the client is gone.
  bool write(std::string_view bytes) { return connection_.write(bytes); }

  [[nodiscard]] bool client_gone(std::chrono::milliseconds wait) const {
    return connection_.closed_within(wait);
  }

  // Neither reads nor writes until the client closes.
  void stall();

  // The connection ends after this handler, with RST when `reset`.
  void close(bool reset = false);

  [[nodiscard]] bool closed() const { return closed_; }

 private:
  HttpRequest request_;
  support::PeerConnection& connection_;
  bool closed_ = false;
};

// Where a peer listens: an IPv4 address of loopback, and a port of it; 0: a free one.
struct ListenAt {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
};

class HttpPeer {
 public:
  using Handler = std::function<void(HttpExchange& exchange)>;

  // Listens from here on; speaks TLS when it has an identity.
  explicit HttpPeer(Handler handler,
                    const std::optional<support::Identity>& tls = std::nullopt,
                    const ListenAt& where = {});
  ~HttpPeer();
  HttpPeer(const HttpPeer&) = delete;
  HttpPeer& operator=(const HttpPeer&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }

  // "http://127.0.0.1:port", or https.
  [[nodiscard]] std::string origin() const;

  // While down, connections are closed as soon as they are accepted, and those that exist end now.
  void set_down(bool down);

  // Ends all connections now.
  void cut_connections();

  [[nodiscard]] std::size_t connections() const;

 private:
  struct FreeContext {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };

  void accept_all();
  void serve(int fd);
  void converse(support::PeerConnection& connection);

  const Handler handler_;
  std::unique_ptr<SSL_CTX, FreeContext> tls_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;
  bool down_ = false;
  std::size_t accepted_ = 0;
  std::vector<int> open_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace scaledcache::loopback
