// One accepted connection of HttpServer as a stream of bytes, with TLS on it or not. Internal:
// includes Boost.
#pragma once

#include <optional>
#include <utility>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>

#include "http/server_tls.h"

namespace scaledcache::http {

// What Beast calls an AsyncStream. Used by one thread, not moved.
class ServerStream {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  using executor_type = Socket::executor_type;

  // Plain where `tls` is nullptr.
  ServerStream(Socket socket, const ServerTls& tls) : socket_(std::move(socket)) {
    if (tls != nullptr) {
      ::SSL_CTX_up_ref(tls.get());
      boost::asio::ssl::context context(tls.get());  // takes over that reference
      tls_.emplace(socket_, context);
    }
  }

  ServerStream(const ServerStream&) = delete;
  ServerStream& operator=(const ServerStream&) = delete;

  [[nodiscard]] executor_type get_executor() { return socket_.get_executor(); }

  [[nodiscard]] bool is_tls() const { return tls_.has_value(); }

  // Below TLS.
  [[nodiscard]] Socket& socket() { return socket_; }

  template <class Buffers, class Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    if (tls_) {
      tls_->async_read_some(buffers, std::forward<Handler>(handler));
    } else {
      socket_.async_read_some(buffers, std::forward<Handler>(handler));
    }
  }

  template <class Buffers, class Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    if (tls_) {
      tls_->async_write_some(buffers, std::forward<Handler>(handler));
    } else {
      socket_.async_write_some(buffers, std::forward<Handler>(handler));
    }
  }

  // These two need is_tls(). The farewell ends when the peer has said its own, or something else.
  template <class Handler>
  void async_handshake(Handler&& handler) {
    tls_->async_handshake(boost::asio::ssl::stream_base::server, std::forward<Handler>(handler));
  }

  template <class Handler>
  void async_farewell(Handler&& handler) {
    tls_->async_shutdown(std::forward<Handler>(handler));
  }

 private:
  Socket socket_;
  std::optional<boost::asio::ssl::stream<Socket&>> tls_;
};

}  // namespace scaledcache::http
