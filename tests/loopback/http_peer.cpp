#include "loopback/http_peer.h"

#include <algorithm>
#include <stdexcept>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

namespace scaledcache::loopback {
namespace {

std::string http_date() {
  const std::time_t seconds =
      std::chrono::duration_cast<std::chrono::seconds>(system_clock().wall().time_since_epoch())
          .count();
  std::tm fields{};
  gmtime_r(&seconds, &fields);
  char text[64];
  const std::size_t size = std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &fields);
  return {text, size};
}

}  // namespace

void HttpExchange::answer(int status, std::string_view body, const HeaderList& headers) {
  std::string text = "HTTP/1.1 " + std::to_string(status) + " S\r\nDate: " + http_date() + "\r\n";
  const bool typed = std::any_of(headers.begin(), headers.end(),
                                 [](const auto& h) { return h.first == "Content-Type"; });
  if (!typed) {
    text += "Content-Type: application/json\r\n";
  }
  for (const auto& [name, value] : headers) {
    text += name + ": " + value + "\r\n";
  }
  text += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  text += body;
  connection_.write(text);
}

bool HttpExchange::begin_stream() {
  return connection_.write("HTTP/1.1 200 OK\r\nDate: " + http_date() +
                           "\r\nContent-Type: application/json\r\n"
                           "Transfer-Encoding: chunked\r\n\r\n");
}

bool HttpExchange::write_chunk(std::string_view bytes) {
  char size[24];
  const int length = std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  std::string chunk(size, static_cast<std::size_t>(length));
  chunk += bytes;
  chunk += "\r\n";
  return connection_.write(chunk);
}

void HttpExchange::end_stream() {
  connection_.write("0\r\n\r\n");
}

void HttpExchange::stall() {
  static_cast<void>(connection_.closed_within(std::chrono::milliseconds{-1}));
  closed_ = true;
}

void HttpExchange::close(bool reset) {
  if (reset) {
    connection_.close_with_reset();
  }
  closed_ = true;
}

HttpPeer::HttpPeer(Handler handler,
                   const std::optional<support::Identity>& tls,
                   const ListenAt& where)
    : handler_(std::move(handler)) {
  if (tls) {
    tls_.reset(SSL_CTX_new(TLS_server_method()));
    if (SSL_CTX_use_certificate(tls_.get(), tls->certificate.get()) != 1 ||
        SSL_CTX_use_PrivateKey(tls_.get(), tls->key.get()) != 1) {
      throw std::runtime_error("the peer's certificate cannot be used");
    }
  }
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(where.port);
  if (::inet_pton(AF_INET, where.address.c_str(), &address.sin_addr) != 1) {
    throw std::runtime_error("no address to listen on");
  }
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_, generic, size) != 0 || ::listen(listener_, 256) != 0 ||
      ::getsockname(listener_, generic, &size) != 0) {
    throw std::runtime_error("cannot listen on loopback");
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_all(); });
}

HttpPeer::~HttpPeer() {
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  cut_connections();
  for (std::thread& thread : threads_) {
    thread.join();
  }
  ::close(listener_);
}

std::string HttpPeer::origin() const {
  return (tls_ ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port_);
}

void HttpPeer::set_down(bool down) {
  {
    std::lock_guard lock(mutex_);
    down_ = down;
  }
  if (down) {
    cut_connections();
  }
}

void HttpPeer::cut_connections() {
  std::lock_guard lock(mutex_);
  for (const int fd : open_) {
    ::shutdown(fd, SHUT_RDWR);
  }
}

std::size_t HttpPeer::connections() const {
  std::lock_guard lock(mutex_);
  return accepted_;
}

void HttpPeer::accept_all() {
  for (int fd = 0; (fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    std::lock_guard lock(mutex_);
    ++accepted_;
    if (down_) {
      ::close(fd);
      continue;
    }
    open_.push_back(fd);
    threads_.emplace_back([this, fd] { serve(fd); });
  }
}

void HttpPeer::serve(int fd) {
  // SSL_write has no MSG_NOSIGNAL: a blocked SIGPIPE stays pending in this thread and dies with it.
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  {
    support::PeerConnection connection(fd, tls_.get());
    if (connection.handshake()) {
      converse(connection);
      connection.say_goodbye();
    }
  }
  std::lock_guard lock(mutex_);
  std::erase(open_, fd);
  ::close(fd);
}

void HttpPeer::converse(support::PeerConnection& connection) {
  while (auto text = connection.read_request()) {
    HttpExchange exchange(parse_request(*text), connection);
    handler_(exchange);
    if (exchange.closed()) {
      return;
    }
  }
}

}  // namespace scaledcache::loopback
