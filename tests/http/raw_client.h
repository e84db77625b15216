// A client on loopback that sends exactly the bytes it is told, for tests of servers.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <doctest/doctest.h>

namespace scaledcache::http {

class RawClient {
 public:
  explicit RawClient(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  }

  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  ~RawClient() { ::close(fd_); }

  // False when the server has closed.
  bool say(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) {
        return false;
      }
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  void close_sending() const { ::shutdown(fd_, SHUT_WR); }

  // What the server says until it closes.
  std::string read_all() {
    while (read_more()) {
    }
    return std::move(pending_);
  }

  // One answer with its head and a body of Content-Length bytes.
  std::string read_answer() {
    std::string::size_type end = 0;
    while ((end = pending_.find("\r\n\r\n")) == std::string::npos) {
      if (!read_more()) {
        return std::move(pending_);
      }
    }
    constexpr std::string_view kLength = "Content-Length: ";
    const auto at = pending_.find(kLength);
    const std::size_t whole =
        end + 4 + (at < end ? std::stoul(pending_.substr(at + kLength.size())) : 0);
    while (pending_.size() < whole && read_more()) {
    }
    std::string answer = pending_.substr(0, whole);
    pending_.erase(0, whole);
    return answer;
  }

  // What the server says, up to the first `end` and with it; less when it closes before.
  std::string read_until(std::string_view end) {
    while (pending_.find(end) == std::string::npos && read_more()) {
    }
    const auto at = pending_.find(end);
    std::string said = pending_.substr(0, at == std::string::npos ? at : at + end.size());
    pending_.erase(0, said.size());
    return said;
  }

  // True when the server closed within `wait`; what it said is kept.
  bool closed_within(std::chrono::milliseconds wait) {
    pollfd poll_fd{fd_, POLLIN, 0};
    while (::poll(&poll_fd, 1, static_cast<int>(wait.count())) > 0) {
      if (!read_more()) {
        return true;
      }
    }
    return false;
  }

 private:
  bool read_more() {
    char buffer[4096];
    const auto got = ::recv(fd_, buffer, sizeof buffer, 0);
    if (got > 0) {
      pending_.append(buffer, static_cast<std::size_t>(got));
    }
    return got > 0;
  }

  int fd_;
  std::string pending_;
};

}  // namespace scaledcache::http
