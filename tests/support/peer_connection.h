// The peer's end of one connection: reading whole requests and writing bytes, over TCP or TLS.
#pragma once

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <poll.h>
#include <sys/socket.h>

#include <openssl/ssl.h>

namespace scaledcache::support {

// One accepted socket, with TLS on it when the peer has an identity.
class PeerConnection {
 public:
  PeerConnection(int fd, SSL_CTX* tls) : fd_(fd) {
    if (tls != nullptr) {
      ssl_.reset(SSL_new(tls));
      SSL_set_fd(ssl_.get(), fd_);
    }
  }

  bool handshake() { return ssl_ == nullptr || SSL_accept(ssl_.get()) == 1; }

  bool write(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = ssl_ ? SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()))
                             : ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) {
        return false;
      }
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // One whole request; nothing when the other side closed before its end.
  std::optional<std::string> read_request() {
    std::string::size_type head = std::string::npos;
    while ((head = pending_.find("\r\n\r\n")) == std::string::npos) {
      if (!read_more()) {
        return std::nullopt;
      }
    }
    const std::size_t whole = head + 4 + body_length(pending_.substr(0, head + 2));
    while (pending_.size() < whole) {
      if (!read_more()) {
        return std::nullopt;
      }
    }
    std::string request = pending_.substr(0, whole);
    pending_.erase(0, whole);
    return request;
  }

  // True when the other side closed within `wait`; a negative wait has no end.
  [[nodiscard]] bool closed_within(std::chrono::milliseconds wait) const {
    pollfd poll_fd{fd_, POLLRDHUP, 0};
    return ::poll(&poll_fd, 1, static_cast<int>(wait.count())) != 0;
  }

  void close_with_reset() const {
    const linger now{1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  }

  // Reads what the other side had sent until it closes: bytes that nobody read would make the
  // kernel end the connection with a reset, which overtakes a TLS alert.
  void drain() const {
    ::shutdown(fd_, SHUT_WR);
    char buffer[4096];
    while (::recv(fd_, buffer, sizeof buffer, 0) > 0) {
    }
  }

  void say_goodbye() {
    if (ssl_ && SSL_is_init_finished(ssl_.get()) != 0) {
      SSL_shutdown(ssl_.get());
    }
  }

 private:
  struct FreeSsl {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };

  bool read_more() {
    char buffer[4096];
    const auto got =
        ssl_ ? SSL_read(ssl_.get(), buffer, sizeof buffer) : ::recv(fd_, buffer, sizeof buffer, 0);
    if (got > 0) {
      pending_.append(buffer, static_cast<std::size_t>(got));
    }
    return got > 0;
  }

  static std::size_t body_length(std::string head) {
    std::transform(head.begin(), head.end(), head.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    constexpr std::string_view kName = "\r\ncontent-length:";
    const auto at = head.find(kName);
    std::size_t length = 0;
    if (at != std::string::npos) {
      const auto digits = head.find_first_not_of(' ', at + kName.size());
      std::from_chars(head.data() + digits, head.data() + head.size(), length);
    }
    return length;
  }

  int fd_;
  std::unique_ptr<SSL, FreeSsl> ssl_;
  std::string pending_;
};

}  // namespace scaledcache::support
