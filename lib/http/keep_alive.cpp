#include "http/keep_alive.h"

#include <array>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace scaledcache::http {
namespace {

struct Option {
  int level;
  int name;
  int value;
};

constexpr std::array kOptions{
    Option{SOL_SOCKET, SO_KEEPALIVE, 1},           Option{IPPROTO_TCP, TCP_KEEPIDLE, 30},
    Option{IPPROTO_TCP, TCP_KEEPINTVL, 10},        Option{IPPROTO_TCP, TCP_KEEPCNT, 3},
    Option{IPPROTO_TCP, TCP_USER_TIMEOUT, 30'000}, Option{IPPROTO_TCP, TCP_NODELAY, 1}};

}  // namespace

void keep_alive(int socket) {
  for (const Option& option : kOptions) {
    ::setsockopt(socket, option.level, option.name, &option.value, sizeof(option.value));
  }
}

}  // namespace scaledcache::http
