// The doors to the network. Callers see requests, answers and errors; which library speaks is
// hidden behind them. Interfaces only: curl_transport.h and cpprest_transport.h implement them.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/address.h"

namespace scaledcache::http {

class PeerTls;

enum class Method { Get, Head, Post, Put, Patch };

[[nodiscard]] std::string_view name_of(Method method);

struct Header {
  std::string name;
  std::string value;

  bool operator==(const Header&) const = default;
};

using Headers = std::vector<Header>;

// The first value of `name`, compared without case; empty when absent.
[[nodiscard]] std::string_view find_header(const Headers& headers, std::string_view name);

// Makes a request one to a pod, as its visitors' arrive there. The name of the URL is what the
// pod's certificate must be made out for, but `address` is dialled, after it was judged as any
// other. Such a request may ask for an encoding (it is never decoded) and may carry no credentials;
// a redirect or a compressed body is an answer as good as any.
struct PodCall {
  Address address{};
  std::string host{};               // the Host header; "": that of the URL
  std::size_t keep_body_bytes = 0;  // the rest of the body is counted and thrown away
};

// One request. `url` is absolute. The deadline covers everything from resolving the name to the
// last byte of the body, on the monotonic clock.
struct Request {
  Method method = Method::Get;
  std::string url{};
  Headers headers{};
  std::string body{};
  std::chrono::milliseconds timeout{5000};
  std::size_t max_header_bytes = std::size_t{16} << 10;
  std::size_t max_body_bytes = std::size_t{16} << 20;
  std::optional<PodCall> pod{};  // for CurlTransport only
  // Whom to believe and as whom to speak; nullptr: as the transport does. For CurlTransport only.
  std::shared_ptr<const PeerTls> tls{};
};

struct Response {
  int status = 0;
  Headers headers;
  std::string body;
  std::size_t body_bytes{0};  // as they came, also those that were thrown away
};

// Thread safe; blocks the caller until the answer is whole, a limit is passed or `stop` is
// requested. Any HTTP status is a success here: its meaning belongs to the caller. Errors:
// Unavailable (cannot connect, connection lost), Timeout, Protocol (limit passed, broken framing,
// compressed answer, redirect; the last two not from pods), Forbidden (address not allowed),
// Invalid (bad URL), Unauthorized (the peer wants another client certificate), Cancelled.
class HttpTransport {
 public:
  HttpTransport() = default;
  HttpTransport(const HttpTransport&) = delete;
  HttpTransport& operator=(const HttpTransport&) = delete;
  virtual ~HttpTransport() = default;

  virtual Result<Response> send(const Request& request, std::stop_token stop) = 0;
};

// Receives the bytes of a streamed body as they arrive; returns false to end the stream.
using ByteSink = std::function<bool(std::string_view bytes)>;

// An HttpTransport that can also read an answer without end.
class HttpStreamTransport : public HttpTransport {
 public:
  // Sends `request`; request.timeout bounds the time to the response head, `idle_timeout` each
  // silence after it. A 2xx body goes to `sink` on the calling thread; a clean end, or `sink`
  // returning false, gives the Response with an empty body. Any other status gives the Response
  // with its (capped) body, and `sink` is not called. A cut or reset is Unavailable, silence is
  // Timeout.
  virtual Result<Response> stream(const Request& request,
                                  std::chrono::milliseconds idle_timeout,
                                  const ByteSink& sink,
                                  std::stop_token stop) = 0;
};

}  // namespace scaledcache::http
