#include "http/server.h"

#include <thread>
#include <utility>

#include <pthread.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/mutex.h"
#include "http/session.h"

namespace scaledcache::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::milliseconds kAcceptPause{100};

error_code listen_on(tcp::acceptor& acceptor, const tcp::endpoint& endpoint) {
  error_code fault;
  acceptor.open(endpoint.protocol(), fault);
  if (!fault) {
    acceptor.set_option(asio::socket_base::reuse_address(true), fault);
  }
  if (!fault && endpoint.address().is_v6() && endpoint.address().is_unspecified()) {
    acceptor.set_option(asio::ip::v6_only(false), fault);
  }
  if (!fault) {
    acceptor.bind(endpoint, fault);
  }
  if (!fault) {
    acceptor.listen(asio::socket_base::max_listen_connections, fault);
  }
  if (fault) {
    error_code ignored;
    acceptor.close(ignored);
  }
  return fault;
}

}  // namespace

class HttpServer::Listener {
 public:
  Listener(ServerOptions options, std::vector<Route> routes)
      : service_{std::move(options), std::move(routes), {}, {}} {}

  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  ~Listener() {
    context_.stop();
    if (thread_.joinable()) {
      thread_.join();
    }
  }

  Result<void> start() {
    const ServerOptions& options = service_.options;
    error_code fault;
    if (options.address.empty()) {
      fault = listen_on(acceptor_, {tcp::v6(), options.port});
      if (fault) {  // a machine without IPv6
        fault = listen_on(acceptor_, {tcp::v4(), options.port});
      }
    } else {
      const auto address = asio::ip::make_address(options.address, fault);
      if (fault) {
        return Error{ErrorCode::Invalid,
                     "\"" + options.address + "\" is no IP address to listen on"};
      }
      fault = listen_on(acceptor_, {address, options.port});
    }
    if (fault) {
      return Error{ErrorCode::Unavailable, "cannot listen on \"" + options.address + "\" port " +
                                               std::to_string(options.port) + ": " +
                                               fault.message()};
    }
    port_ = acceptor_.local_endpoint().port();
    accept();
    thread_ = std::jthread([this] {
      ::pthread_setname_np(::pthread_self(), "http-server");
      context_.run();
    });
    return {};
  }

  [[nodiscard]] std::uint16_t port() const { return port_; }

  void publish(const std::string& path, std::string bytes) {
    auto chunk = std::make_shared<const std::string>(std::move(bytes));
    asio::post(context_, [this, path, chunk = std::move(chunk)] {
      auto next = service_.sessions.begin();
      while (next != service_.sessions.end()) {
        Session& session = **next++;  // a push may close it, and then it is in the list no more
        session.push(path, chunk);
      }
    });
  }

  [[nodiscard]] std::size_t streams() const { return service_.streams; }

  void use_tls(ServerTls tls) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    tls_.swap(tls);
  }

 private:
  [[nodiscard]] ServerTls tls() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return tls_;
  }

  void begin(tcp::socket socket) {
    const ServerTls identity = tls();
    if (service_.options.tls && identity == nullptr) {
      return;  // the socket closes
    }
    if (service_.sessions.size() >= service_.options.max_connections) {
      service_.sessions.front()->close();
    }
    std::make_shared<Session>(std::move(socket), identity, service_)->start();
  }

  void accept() {
    acceptor_.async_accept([this](const error_code& fault, tcp::socket socket) {
      if (fault) {  // out of descriptors: the connection stays in the queue
        pause_.expires_after(kAcceptPause);
        pause_.async_wait([this](const error_code& stopped) {
          if (!stopped) {
            accept();
          }
        });
        return;
      }
      begin(std::move(socket));
      accept();
    });
  }

  Service service_;  // outlives the sessions, which the context owns
  asio::io_context context_{1};
  tcp::acceptor acceptor_{context_};
  asio::steady_timer pause_{context_};
  std::uint16_t port_ = 0;
  Mutex mutex_;
  ServerTls tls_ GUARDED_BY(mutex_);  // nullptr: none yet, or plain
  std::jthread thread_;
};

HttpServer::HttpServer(std::unique_ptr<Listener> listener) : listener_(std::move(listener)) {}

HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::start(ServerOptions options,
                                                      std::vector<Route> routes) {
  auto listener = std::make_unique<Listener>(std::move(options), std::move(routes));
  if (auto started = listener->start(); !started) {
    return started.error();
  }
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(listener)));
}

std::uint16_t HttpServer::port() const {
  return listener_->port();
}

void HttpServer::publish(const std::string& path, std::string bytes) {
  listener_->publish(path, std::move(bytes));
}

std::size_t HttpServer::streams() const {
  return listener_->streams();
}

Result<void> HttpServer::use_identity(const PemIdentity& identity) {
  auto tls = make_server_tls(identity);
  if (!tls) {
    return tls.error();
  }
  listener_->use_tls(*std::move(tls));
  return {};
}

}  // namespace scaledcache::http
