// A peer on loopback that plays a script, byte by byte, over TCP or TLS: answers that no
// well-behaved server library would send. Each connection has a thread of its own.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/ssl.h>

#include "support/certificates.h"
#include "support/peer_connection.h"

namespace scaledcache::support {

// One step of a script. When the last one is done the connection is closed.
struct ReadRequest {};  // one request: its head, and a body of Content-Length bytes

struct Write {
  std::string bytes;
};

struct Repeat {  // again and again, until the other side closes
  std::string bytes;
};

struct Drip {  // a byte at a time, again from the start at the end, until the other side closes
  std::string bytes;
  std::chrono::milliseconds every{10};
};

struct Serve {  // the same answer to each request, until the other side closes
  std::string answer;
};

struct Stall {};  // neither reads nor writes until the other side closes

struct Reset {};  // closes with RST

using Step = std::variant<ReadRequest, Write, Repeat, Drip, Serve, Stall, Reset>;
using Script = std::vector<Step>;

// A whole answer of HTTP/1.1 with a length.
inline std::string answer(std::string_view status_line, std::string_view body) {
  return "HTTP/1.1 " + std::string(status_line) +
         "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + std::string(body);
}

struct RawPeerOptions {
  std::optional<Identity> tls{};               // speaks TLS with this certificate
  std::optional<Identity> client_authority{};  // demands a certificate of its making
  bool accepts = true;                         // false: connections wait for ever in the SYN queue
};

// Connection number n plays scripts[n], later ones the last script. Listens on 127.0.0.1 and a free
// port. The destructor ends whatever still runs.
class RawPeer {
 public:
  explicit RawPeer(std::vector<Script> scripts, const RawPeerOptions& options = {})
      : scripts_(std::move(scripts)) {
    if (options.tls) {
      tls_ = server_context(*options.tls);
      if (options.client_authority) {
        demand_certificate(*options.client_authority);
      }
    }
    listen_on_loopback(options.accepts ? 64 : 0);
    if (options.accepts) {
      acceptor_ = std::thread([this] { accept_all(); });
    } else {
      fill_backlog();
    }
  }

  RawPeer(const RawPeer&) = delete;
  RawPeer& operator=(const RawPeer&) = delete;

  ~RawPeer() {
    ::shutdown(listener_, SHUT_RDWR);
    if (acceptor_.joinable()) {
      acceptor_.join();
    }
    {
      std::lock_guard lock(mutex_);
      for (const int fd : open_) {
        ::shutdown(fd, SHUT_RDWR);
      }
    }
    serving_.clear();  // waits for each
    for (const int fd : fillers_) {
      ::close(fd);
    }
    ::close(listener_);
  }

  [[nodiscard]] std::uint16_t port() const { return port_; }

  // "http://127.0.0.1:port/path", or https.
  [[nodiscard]] std::string url(std::string_view path = "/", std::string_view host = {}) const {
    return std::string(tls_ ? "https://" : "http://") +
           std::string(host.empty() ? "127.0.0.1" : host) + ":" + std::to_string(port_) +
           std::string(path);
  }

  [[nodiscard]] std::size_t connections() const {
    std::lock_guard lock(mutex_);
    return accepted_;
  }

  // The requests read so far, each with head and body.
  [[nodiscard]] std::vector<std::string> requests() const {
    std::lock_guard lock(mutex_);
    return requests_;
  }

  void wait_for_connections(std::size_t count) const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return accepted_ >= count; });
  }

  void wait_for_requests(std::size_t count) const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return requests_.size() >= count; });
  }

 private:
  struct FreeContext {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };

  using Context = std::unique_ptr<SSL_CTX, FreeContext>;

  static Context server_context(const Identity& identity) {
    Context context(SSL_CTX_new(TLS_server_method()));
    if (SSL_CTX_use_certificate(context.get(), identity.certificate.get()) != 1 ||
        SSL_CTX_use_PrivateKey(context.get(), identity.key.get()) != 1) {
      throw std::runtime_error("the peer's certificate cannot be used");
    }
    return context;
  }

  void demand_certificate(const Identity& authority) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(tls_.get()), authority.certificate.get());
    SSL_CTX_set_verify(tls_.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }

  void listen_on_loopback(int backlog) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_, generic, size) != 0 || ::listen(listener_, backlog) != 0 ||
        ::getsockname(listener_, generic, &size) != 0) {
      throw std::runtime_error("cannot listen on loopback");
    }
    port_ = ntohs(address.sin_port);
  }

  // Connects until the kernel holds no more finished handshakes, so that later ones never finish.
  void fill_backlog() {
    for (int i = 0; i < 4; ++i) {
      const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(port_);
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
      fillers_.push_back(fd);
    }
  }

  void accept_all() {
    for (int fd = 0; (fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
      std::lock_guard lock(mutex_);
      const Script& script = scripts_[std::min(accepted_, scripts_.size() - 1)];
      ++accepted_;
      open_.push_back(fd);
      changed_.notify_all();
      std::erase_if(serving_, [](const std::future<void>& one) {
        return one.wait_for(std::chrono::seconds{0}) == std::future_status::ready;
      });
      serving_.push_back(
          std::async(std::launch::async, [this, fd, &script] { serve(fd, script); }));
    }
  }

  void serve(int fd, const Script& script) {
    // SSL_write has no MSG_NOSIGNAL: a blocked SIGPIPE stays pending in this thread and dies with
    // it.
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    {
      PeerConnection connection(fd, tls_.get());
      if (connection.handshake()) {
        for (const Step& step : script) {
          if (!std::visit([&](const auto& s) { return play(connection, s); }, step)) {
            break;
          }
        }
        connection.say_goodbye();
      } else {
        connection.drain();
      }
    }
    std::lock_guard lock(mutex_);
    std::erase(open_, fd);
    ::close(fd);
  }

  // Each returns false when the connection is over.
  bool play(PeerConnection& connection, const ReadRequest&) {
    auto request = connection.read_request();
    if (request) {
      std::lock_guard lock(mutex_);
      requests_.push_back(std::move(*request));
      changed_.notify_all();
      return true;
    }
    return false;
  }

  bool play(PeerConnection& connection, const Write& step) { return connection.write(step.bytes); }

  bool play(PeerConnection& connection, const Repeat& step) {
    while (connection.write(step.bytes)) {
    }
    return false;
  }

  bool play(PeerConnection& connection, const Drip& step) {
    for (std::size_t i = 0;; i = (i + 1) % step.bytes.size()) {
      if (!connection.write(std::string_view(step.bytes).substr(i, 1)) ||
          connection.closed_within(step.every)) {
        return false;
      }
    }
  }

  bool play(PeerConnection& connection, const Serve& step) {
    while (play(connection, ReadRequest{})) {
      if (!connection.write(step.answer)) {
        break;
      }
    }
    return false;
  }

  bool play(PeerConnection& connection, const Stall&) {
    return !connection.closed_within(std::chrono::milliseconds{-1});
  }

  bool play(PeerConnection& connection, const Reset&) {
    connection.close_with_reset();
    return false;
  }

  std::vector<Script> scripts_;
  Context tls_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::vector<int> fillers_;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::size_t accepted_ = 0;
  std::vector<int> open_;
  std::vector<std::string> requests_;
  std::vector<std::future<void>> serving_;
  std::thread acceptor_;
};

}  // namespace scaledcache::support
