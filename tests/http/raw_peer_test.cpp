// The peer that the transport tests rely on is itself to be relied on.
#include "support/raw_peer.h"

#include <doctest/doctest.h>

namespace scaledcache::support {
namespace {

int connect_to(const RawPeer& peer) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(peer.port());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  return fd;
}

std::string read_all(int fd) {
  std::string text;
  char buffer[256];
  for (ssize_t got = 0; (got = ::recv(fd, buffer, sizeof buffer, 0)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

void say(int fd, std::string_view text) {
  REQUIRE(::send(fd, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size()));
}

TEST_CASE("the peer reads a request with its body, answers and closes") {
  const RawPeer peer({{ReadRequest{}, Write{"bye"}}});
  const int fd = connect_to(peer);
  say(fd, "PUT / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc");
  CHECK(read_all(fd) == "bye");
  CHECK(peer.requests() ==
        std::vector<std::string>{"PUT / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"});
  ::close(fd);
}

TEST_CASE("each connection plays its own script, later ones the last") {
  const RawPeer peer({{Write{"first"}}, {Write{"later"}}});
  for (const char* want : {"first", "later", "later"}) {
    const int fd = connect_to(peer);
    CHECK(read_all(fd) == want);
    ::close(fd);
  }
  CHECK(peer.connections() == 3);
}

TEST_CASE("a peer that stalls, drips or repeats ends with its owner") {
  for (const Step& step : {Step{Stall{}}, Step{Drip{"x"}}, Step{Repeat{"xyz"}}}) {
    const RawPeer peer({{step}});
    const int fd = connect_to(peer);
    peer.wait_for_connections(1);
    ::close(fd);
  }
}

}  // namespace
}  // namespace scaledcache::support
