#include "http/session.h"

#include <algorithm>
#include <exception>
#include <sstream>
#include <utility>
#include <variant>

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/bind_handler.hpp>

namespace scaledcache::http {
namespace {

namespace beast = boost::beast;

constexpr std::size_t kReadBytes = 4096;
constexpr std::chrono::milliseconds kLingerTime{1000};

Response plain(int status, std::string text) {
  return {status, {{"Content-Type", "text/plain; charset=utf-8"}}, std::move(text) + "\n"};
}

std::optional<Method> method_of(beast::http::verb verb) {
  switch (verb) {
    case beast::http::verb::get:
      return Method::Get;
    case beast::http::verb::head:
      return Method::Head;
    case beast::http::verb::post:
      return Method::Post;
    default:
      return std::nullopt;
  }
}

using Message = beast::http::request<beast::http::string_body>;

std::string_view target_of(const Message& message) {
  return {message.target().data(), message.target().size()};
}

std::string_view path_of(const Message& message) {
  return target_of(message).substr(0, target_of(message).find('?'));
}

ServerRequest decode(Message message, Method method) {
  const std::string_view path = path_of(message);
  ServerRequest request{.method = method, .path = std::string(path)};
  if (path.size() < target_of(message).size()) {
    request.query = target_of(message).substr(path.size() + 1);
  }
  for (const auto& field : message) {
    request.headers.push_back({field.name_string().to_string(), field.value().to_string()});
  }
  request.body = std::move(message.body());
  return request;
}

// The route for `message`, or the 404 or 405 that says why there is none.
std::variant<const Route*, Response> choose_route(const std::vector<Route>& routes,
                                                  const Message& message) {
  const auto method = method_of(message.method());
  const bool reads = method == Method::Get || method == Method::Head;
  std::string allowed;
  for (const Route& route : routes) {
    if (route.path != path_of(message)) {
      continue;
    }
    if (method == route.method || (reads && route.method == Method::Get)) {
      return &route;
    }
    allowed += allowed.empty() ? "" : ", ";
    allowed += route.method == Method::Get ? "GET, HEAD" : "POST";
  }
  if (allowed.empty()) {
    return plain(404, "no such page");
  }
  Response response = plain(405, "method not allowed");
  response.headers.push_back({"Allow", allowed});
  return response;
}

// The answer to a request that could not be read; nothing when there is nobody to answer.
std::optional<Response> refusal(const boost::system::error_code& fault) {
  using beast::http::error;
  if (fault == error::header_limit || fault == error::buffer_overflow) {
    return plain(431, "header block too large");
  }
  if (fault == error::body_limit) {
    return plain(413, "body too large");
  }
  const bool gone = fault == error::end_of_stream || fault == error::partial_message;
  if (gone || fault.category() != beast::http::make_error_code(error::bad_method).category()) {
    return std::nullopt;
  }
  return plain(400, "not an HTTP request");
}

}  // namespace

Session::Session(Socket socket, const ServerTls& tls, Service& service)
    : stream_(std::move(socket), tls),
      service_(service),
      place_(service.sessions.insert(service.sessions.end(), this)),
      timer_(stream_.get_executor()),
      buffer_(service.options.max_header_bytes + kReadBytes) {}

Session::~Session() {
  leave();
}

void Session::leave() {
  if (place_ != service_.sessions.end()) {
    service_.sessions.erase(std::exchange(place_, service_.sessions.end()));
    if (streamed_ != nullptr) {
      --service_.streams;
    }
  }
}

void Session::start() {
  if (stream_.is_tls()) {
    shake_hands();
  } else {
    await_request(service_.options.header_timeout);
  }
}

void Session::shake_hands() {
  arm(service_.options.header_timeout);
  stream_.async_handshake([self = shared_from_this()](const ErrorCode& fault) {
    if (fault) {
      self->close();
      return;
    }
    self->become_newest();
    self->await_request(self->service_.options.header_timeout);
  });
}

void Session::close() {
  leave();
  ErrorCode ignored;
  stream_.socket().close(ignored);
  timer_.cancel();
}

void Session::arm(std::chrono::milliseconds limit) {
  timer_.expires_after(limit);
  timer_.async_wait([weak = weak_from_this(), alarm = ++alarms_](const ErrorCode& fault) {
    const auto self = weak.lock();
    if (!fault && self != nullptr && self->alarms_ == alarm) {
      self->close();
    }
  });
}

void Session::disarm() {
  ++alarms_;
  timer_.cancel();
}

void Session::become_newest() {
  if (place_ != service_.sessions.end()) {
    service_.sessions.splice(service_.sessions.end(), service_.sessions, place_);
  }
}

void Session::await_request(std::chrono::milliseconds patience) {
  if (buffer_.size() > 0) {  // pipelined behind the last one
    read_head();
    return;
  }
  arm(patience);
  stream_.async_read_some(buffer_.prepare(kReadBytes),
                          [self = shared_from_this()](const ErrorCode& fault, std::size_t bytes) {
                            if (fault) {
                              self->close();
                              return;
                            }
                            self->buffer_.commit(bytes);
                            self->become_newest();
                            self->read_head();
                          });
}

void Session::read_head() {
  head_only_ = false;
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(service_.options.max_header_bytes));
  parser_->body_limit(service_.options.max_body_bytes);
  arm(service_.options.header_timeout);
  beast::http::async_read_header(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](const ErrorCode& fault, std::size_t /*bytes*/) {
        fault ? self->refuse(fault) : self->judge_head();
      });
}

// Bodies are read for routes that want one only, so that a page that takes none cannot be made to
// hold any.
void Session::judge_head() {
  arm(service_.options.request_timeout - service_.options.header_timeout);
  head_only_ = parser_->get().method() == beast::http::verb::head;
  const bool whole = parser_->is_done();
  auto choice = choose_route(service_.routes, parser_->get());
  if (auto* response = std::get_if<Response>(&choice)) {
    write(std::move(*response), whole && parser_->get().keep_alive());
    return;
  }
  const Route& route = *std::get<const Route*>(choice);
  if (whole) {
    answer_request(route);
  } else if (route.method == Method::Post) {
    read_body(route);
  } else {
    write(plain(413, "no body is taken here"), /*keep_alive=*/false);
  }
}

void Session::read_body(const Route& route) {
  beast::http::async_read(
      stream_, buffer_, *parser_,
      [self = shared_from_this(), &route](const ErrorCode& fault, std::size_t /*bytes*/) {
        fault ? self->refuse(fault) : self->answer_request(route);
      });
}

void Session::answer_request(const Route& route) {
  const bool keep_alive = parser_->get().keep_alive();
  const bool streams = route.streams && !head_only_;
  if (streams && service_.streams >= service_.options.max_streams) {
    write(plain(503, "too many readers"), keep_alive);
    return;
  }
  Response response;
  try {
    const Method method = method_of(parser_->get().method()).value_or(route.method);
    response = route.handler(decode(parser_->release(), method));
  } catch (const std::exception&) {
    response = plain(500, "internal error");
  }
  if (streams && response.status == 200) {
    begin_stream(route, response);
  } else {
    write(std::move(response), keep_alive);
  }
}

void Session::refuse(const ErrorCode& fault) {
  auto response = refusal(fault);
  if (!response) {
    close();
    return;
  }
  write(*std::move(response), /*keep_alive=*/false);
}

void Session::write(Response response, bool keep_alive) {
  answer_ = Answer(static_cast<beast::http::status>(response.status), 11);
  for (const Header& header : response.headers) {
    answer_.set(header.name, header.value);
  }
  answer_.keep_alive(keep_alive);
  answer_.content_length(response.body.size());
  if (!head_only_) {
    answer_.body() = std::move(response.body);
  }
  beast::http::async_write(
      stream_, answer_,
      [self = shared_from_this(), keep_alive](const ErrorCode& fault, std::size_t /*bytes*/) {
        if (fault) {
          self->close();
        } else if (keep_alive) {
          self->await_request(self->service_.options.idle_timeout);
        } else {
          self->linger();
        }
      });
}

// The end of the connection is the end of the body.
void Session::begin_stream(const Route& route, const Response& response) {
  answer_ = Answer(static_cast<beast::http::status>(response.status), 11);
  for (const Header& header : response.headers) {
    answer_.set(header.name, header.value);
  }
  answer_.keep_alive(false);
  std::ostringstream head;
  head << answer_.base();
  streamed_ = &route;
  ++service_.streams;
  waiting_.push_back(std::make_shared<const std::string>(head.str() + response.body));
  waiting_bytes_ = waiting_.back()->size();
  send_next();
  watch_reader();
}

void Session::push(const std::string& path, const Chunk& chunk) {
  if (streamed_ == nullptr || streamed_->path != path) {
    return;
  }
  if (waiting_bytes_ + chunk->size() > service_.options.max_stream_backlog) {
    close();
    return;
  }
  waiting_.push_back(chunk);
  waiting_bytes_ += chunk->size();
  if (sending_ == nullptr) {
    send_next();
  }
}

void Session::send_next() {
  sending_ = std::move(waiting_.front());
  waiting_.pop_front();
  waiting_bytes_ -= sending_->size();
  arm(service_.options.request_timeout);
  boost::asio::async_write(
      stream_, boost::asio::buffer(*sending_),
      [self = shared_from_this()](const ErrorCode& fault, std::size_t /*bytes*/) {
        self->sending_ = nullptr;
        if (fault) {
          self->close();
          return;
        }
        self->become_newest();
        self->waiting_.empty() ? self->disarm() : self->send_next();
      });
}

// Whatever the reader of a stream says is thrown away; its end ends the stream.
void Session::watch_reader() {
  buffer_.clear();
  stream_.async_read_some(
      buffer_.prepare(kReadBytes),
      [self = shared_from_this()](const ErrorCode& fault, std::size_t /*bytes*/) {
        fault ? self->close() : self->watch_reader();
      });
}

// Closing while bytes of the peer are unread would reset the connection and could destroy the
// answer on its way.
void Session::linger() {
  arm(kLingerTime);
  if (stream_.is_tls()) {
    stream_.async_farewell(
        [self = shared_from_this()](const ErrorCode& /*fault*/) { self->half_close(); });
  } else {
    half_close();
  }
}

void Session::half_close() {
  ErrorCode ignored;
  stream_.socket().shutdown(Socket::shutdown_send, ignored);
  drain();
}

void Session::drain() {
  buffer_.clear();
  stream_.socket().async_read_some(
      buffer_.prepare(kReadBytes),
      [self = shared_from_this()](const ErrorCode& fault, std::size_t) {
        fault ? self->close() : self->drain();
      });
}

}  // namespace scaledcache::http
