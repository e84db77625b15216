// One connection of HttpServer, and the register of all of them. Internal: includes Boost.
#pragma once

#include <atomic>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include "http/server.h"
#include "http/server_stream.h"

namespace scaledcache::http {

class Session;

// The open connections, the one quiet for longest first.
using Sessions = std::list<Session*>;

struct Service {
  ServerOptions options;
  std::vector<Route> routes;  // does not change while it serves
  Sessions sessions;
  std::atomic<std::size_t> streams{0};  // of the sessions
};

// Shared by all who are sent the same.
using Chunk = std::shared_ptr<const std::string>;

// Lives as long as an operation of its own is pending; all on the server's thread.
class Session : public std::enable_shared_from_this<Session> {
 public:
  // Speaks TLS where `tls` is not nullptr.
  Session(boost::asio::ip::tcp::socket socket, const ServerTls& tls, Service& service);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  void start();
  void close();

  // Does nothing unless this is a stream of the route `path`. Closes it when its reader lags.
  void push(const std::string& path, const Chunk& chunk);

 private:
  using Socket = boost::asio::ip::tcp::socket;
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  using Answer = boost::beast::http::response<boost::beast::http::string_body>;
  using ErrorCode = boost::system::error_code;

  void shake_hands();
  void await_request(std::chrono::milliseconds patience);
  void read_head();
  void judge_head();
  void read_body(const Route& route);
  void answer_request(const Route& route);
  void refuse(const ErrorCode& fault);
  void write(Response response, bool keep_alive);
  void begin_stream(const Route& route, const Response& response);
  void send_next();
  void watch_reader();
  void linger();
  void half_close();
  void drain();

  // Closes the connection unless armed again within `limit`.
  void arm(std::chrono::milliseconds limit);
  void disarm();
  void become_newest();
  void leave();

  ServerStream stream_;
  Service& service_;
  Sessions::iterator place_;  // end() once closed
  boost::asio::steady_timer timer_;
  unsigned alarms_ = 0;  // tells a timer that fired before it was armed again from a real one
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  bool head_only_ = false;  // the request is a HEAD: its answer has no body
  Answer answer_;
  const Route* streamed_ = nullptr;  // the route whose stream this is
  Chunk sending_;
  std::deque<Chunk> waiting_;
  std::size_t waiting_bytes_ = 0;
};

}  // namespace scaledcache::http
