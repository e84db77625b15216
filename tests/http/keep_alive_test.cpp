#include "http/keep_alive.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <doctest/doctest.h>

namespace scaledcache::http {
namespace {

int option_of(int socket, int level, int name) {
  int value = -1;
  socklen_t size = sizeof(value);
  REQUIRE(::getsockopt(socket, level, name, &value, &size) == 0);
  return value;
}

TEST_CASE("a dead peer is noticed within a minute, whether we speak or listen") {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  REQUIRE(socket >= 0);
  keep_alive(socket);
  CHECK(option_of(socket, SOL_SOCKET, SO_KEEPALIVE) == 1);
  CHECK(option_of(socket, IPPROTO_TCP, TCP_KEEPIDLE) == 30);
  CHECK(option_of(socket, IPPROTO_TCP, TCP_KEEPINTVL) == 10);
  CHECK(option_of(socket, IPPROTO_TCP, TCP_KEEPCNT) == 3);
  CHECK(option_of(socket, IPPROTO_TCP, TCP_USER_TIMEOUT) == 30'000);
  CHECK(option_of(socket, IPPROTO_TCP, TCP_NODELAY) == 1);
  ::close(socket);
}

}  // namespace
}  // namespace scaledcache::http
