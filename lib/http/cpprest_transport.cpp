#include "http/cpprest_transport.h"

#include <cstdlib>
#include <utility>

// The library's macro U would replace names in other headers.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the library's name for the switch
#define _TURN_OFF_PLATFORM_STRING
#include <cpprest/http_client.h>
#include <cpprest/producerconsumerstream.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <pplx/threadpool.h>

#include "base/clock.h"
#include "base/mutex.h"
#include "http/exchange.h"
#include "http/exchange_reader.h"
#include "http/head.h"
#include "http/keep_alive.h"

namespace scaledcache::http {
namespace {

namespace client = web::http::client;
using boost::asio::ip::tcp;
using TlsStream = boost::asio::ssl::stream<tcp::socket&>;

// The library's own timer, restarted by each byte, is no deadline; it only ends what we left.
constexpr std::chrono::minutes kLibraryTimeout{30};

// Where the library writes a body: a peer faster than the reader is held back. Nothing here fails
// or waits, for the library answers a failed write, and ends a failed answer, by blocking one
// thread of its pool until another has closed this buffer: as many failures at a time as there are
// threads would stop all connections for good. Bytes that nobody wants are dropped until the
// connection is closed instead.
class BodyBuffer final
    : public concurrency::streams::details::basic_producer_consumer_buffer<std::uint8_t> {
 public:
  explicit BodyBuffer(std::shared_ptr<Exchange> exchange)
      : basic_producer_consumer_buffer(0), exchange_(std::move(exchange)) {}

  pplx::task<void> close(std::ios_base::openmode /*mode*/) override {
    return pplx::task_from_result();
  }

  pplx::task<void> close(std::ios_base::openmode /*mode*/, std::exception_ptr /*why*/) override {
    return pplx::task_from_result();
  }

 protected:
  using basic_producer_consumer_buffer::_putn;

  pplx::task<std::size_t> _putn(const std::uint8_t* bytes, std::size_t count) override {
    // A chunk of size -1 comes as a count that no memory can hold.
    if (count > kMaxApiBodyBytes) {
      exchange_->fail({ErrorCode::Protocol, "the answer has a chunk of an impossible size"});
      return pplx::task_from_result(count);
    }
    const pplx::task_completion_event<std::size_t> drained;
    if (!exchange_->put_bytes({reinterpret_cast<const char*>(bytes), count},
                              [drained, count] { drained.set(count); })) {
      return pplx::task_from_result(count);
    }
    return pplx::create_task(drained);
  }

 private:
  std::shared_ptr<Exchange> exchange_;
};

// The library offers a socket that is not open yet and opens it for the family of the address
// later, so this works only where the family is known beforehand; elsewhere the idle timers stand
// alone.
void prepare_socket(tcp::socket& socket) {
  boost::system::error_code ignored;
  if (!socket.is_open()) {
    socket.open(tcp::v4(), ignored);
  }
  keep_alive(socket.native_handle());
}

std::string handshake_failure(int code, const std::shared_ptr<const ClientTls>& tls) {
  if (tls != nullptr && !tls->last_failure().empty()) {
    return tls->last_failure();
  }
  const char* reason = ERR_reason_error_string(static_cast<unsigned long>(code));
  return reason == nullptr ? "the connection was lost" : reason;
}

// To be called while an exception is handled.
Error current_error(const std::shared_ptr<const ClientTls>& tls) {
  constexpr std::string_view kHandshake = "Error in SSL handshake";
  try {
    throw;
  } catch (const web::http::http_exception& e) {
    const int code = e.error_code().value();
    if (code == static_cast<int>(std::errc::timed_out)) {
      return Error{ErrorCode::Timeout, e.what()};
    }
    if (e.what() == kHandshake) {
      return Error{ErrorCode::Unavailable, "TLS handshake failed: " + handshake_failure(code, tls)};
    }
    // The library gives no code to what it could not parse.
    return Error{code == 0 ? ErrorCode::Protocol : ErrorCode::Unavailable, e.what()};
  } catch (const std::exception& e) {
    return Error{ErrorCode::Protocol, e.what()};
  } catch (...) {
    return Error{ErrorCode::Protocol, "unknown failure of the HTTP library"};
  }
}

Head head_of(const web::http::http_response& response) {
  Head head{.status = response.status_code(), .headers = {}};
  for (const auto& [name, value] : response.headers()) {
    head.headers.push_back({name, value});
  }
  return head;
}

// Throws what the library throws for a path that is no URI.
web::http::http_request encode(const Request& request, const std::string& target) {
  web::http::http_request encoded{std::string(name_of(request.method))};
  encoded.set_request_uri(web::uri(target));
  for (const Header& header : request.headers) {
    encoded.headers().add(header.name, header.value);
  }
  if (!request.body.empty()) {
    encoded.set_body(request.body);
  }
  if (!encoded.headers().has(web::http::header_names::user_agent)) {
    encoded.headers().add(web::http::header_names::user_agent, "scaledcache");
  }
  return encoded;
}

// Puts what becomes of `answer` into `exchange`. Every task of the chain ends in a catch: one that
// fails unobserved ends the process.
void observe(const pplx::task<web::http::http_response>& answer,
             const std::shared_ptr<Exchange>& exchange,
             const std::shared_ptr<const ClientTls>& tls) {
  answer.then([exchange, tls](const pplx::task<web::http::http_response>& task) {
    try {
      const web::http::http_response response = task.get();
      exchange->put_head(head_of(response));
      response.content_ready().then(
          [exchange, tls](const pplx::task<web::http::http_response>& body) {
            try {
              body.get();
              exchange->finish();
            } catch (...) {
              exchange->fail(current_error(tls));
            }
          });
    } catch (...) {
      exchange->fail(current_error(tls));
    }
  });
}

// A request under way. Leaving it before its end closes its connection.
class Call {
 public:
  Call(client::http_client& http,
       web::http::http_request request,
       const std::shared_ptr<const ClientTls>& tls)
      : exchange_(std::make_shared<Exchange>()), reader_(*exchange_) {
    request.set_response_stream(
        concurrency::streams::streambuf<std::uint8_t>(std::make_shared<BodyBuffer>(exchange_))
            .create_ostream());
    observe(http.request(request, cancel_.get_token()), exchange_, tls);
  }

  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  ~Call() {
    exchange_->abandon();
    if (!reader_.ended()) {
      cancel_.cancel();
    }
  }

  [[nodiscard]] ExchangeReader& reader() { return reader_; }

 private:
  std::shared_ptr<Exchange> exchange_;
  ExchangeReader reader_;
  pplx::cancellation_token_source cancel_;
};

}  // namespace

// Owns the library's client and replaces it when its connections must not be used again.
class CpprestTransport::Connector {
 public:
  Connector(std::string origin, std::string host)
      : origin_(std::move(origin)), host_(std::move(host)) {}

  [[nodiscard]] const std::string& origin() const { return origin_; }

  Result<void> use(const ClientTlsOptions& options) {
    {
      MutexLock lock(mutex_);
      if (http_ != nullptr && options == options_) {
        return {};
      }
    }
    std::shared_ptr<const ClientTls> tls;
    if (origin_.starts_with("https:")) {
      auto created = ClientTls::create(options, host_);
      if (!created) {
        return created.error();
      }
      tls = *std::move(created);
    }
    MutexLock lock(mutex_);
    options_ = options;
    tls_ = std::move(tls);
    renew();
    return {};
  }

  // Checks the request and sends it; `read` takes the answer.
  template <class Read>
  Result<Response> run(const Request& request, const Read& read) {
    const SteadyTime deadline = system_clock().steady() + request.timeout;
    if (!request.url.starts_with(origin_ + "/")) {
      return Error{ErrorCode::Invalid, "the URL does not start with " + origin_ + "/"};
    }
    if (auto judged = judge_request_headers(request.headers); !judged) {
      return judged.error();
    }
    const std::string target = request.url.substr(origin_.size());
    const auto [http, tls] = current();
    try {
      Call call(*http, encode(request, target), tls);
      Result<Response> response = read(call.reader(), deadline);
      if (!response) {
        return explained(response.error(), http);
      }
      return response;
    } catch (const web::uri_exception&) {
      return Error{ErrorCode::Invalid, "the URL has a path or query that is no URI"};
    } catch (const std::exception&) {
      return explained(current_error(tls), http);
    }
  }

 private:
  struct Current {
    std::shared_ptr<client::http_client> http;
    std::shared_ptr<const ClientTls> tls;
  };

  Current current() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return {http_, tls_};
  }

  // A peer that broke the protocol may have left bytes behind that would spoil the next answer.
  Error explained(const Error& error, const std::shared_ptr<client::http_client>& used) {
    if (error.code == ErrorCode::Protocol) {
      MutexLock lock(mutex_);
      if (http_ == used) {
        renew();
      }
    }
    return Error{error.code, origin_ + ": " + error.message, error.retry_after};
  }

  void renew() REQUIRES(mutex_) {
    client::http_client_config config;
    config.set_timeout(kLibraryTimeout);
    config.set_max_redirects(0);
    config.set_request_compressed_response(false);
    const bool tls = tls_ != nullptr;
    const bool ipv4 = is_ip_literal(host_);
    if (tls) {
      config.set_validate_certificates(tls_->verifies());
      config.set_tlsext_sni_enabled(!ipv4);
      config.set_ssl_context_callback([own = tls_](boost::asio::ssl::context& context) {
        if (!own->apply(context.native_handle())) {
          throw web::http::http_exception("OpenSSL refuses the TLS settings");
        }
      });
    }
    if (ipv4) {
      config.set_nativehandle_options([tls](client::native_handle handle) {
        prepare_socket(tls ? static_cast<TlsStream*>(handle)->next_layer()
                           : *static_cast<tcp::socket*>(handle));
      });
    }
    http_ = std::make_shared<client::http_client>(web::uri(origin_), config);
  }

  const std::string origin_;
  const std::string host_;
  Mutex mutex_;
  ClientTlsOptions options_ GUARDED_BY(mutex_);
  std::shared_ptr<const ClientTls> tls_ GUARDED_BY(mutex_);
  std::shared_ptr<client::http_client> http_ GUARDED_BY(mutex_);
};

void initialize_api_transport(int threads) {
  // The library loads OpenSSL's default trust for each connection before our callback replaces it.
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the process has one thread yet
  ::setenv("SSL_CERT_FILE", "/dev/null", 1);
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the process has one thread yet
  ::setenv("SSL_CERT_DIR", "/nonexistent", 1);
  // The pool's threads end with the static objects, after the clean-up that OpenSSL would otherwise
  // do at exit and under the connections that they may still hold.
  OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, nullptr);
  try {
    crossplat::threadpool::initialize_with_threads(static_cast<std::size_t>(threads));
  } catch (const std::runtime_error&) {
    // The pool exists already.
  }
}

CpprestTransport::CpprestTransport(std::unique_ptr<Connector> connector)
    : connector_(std::move(connector)) {}

CpprestTransport::~CpprestTransport() = default;

Result<std::unique_ptr<CpprestTransport>> CpprestTransport::create(const std::string& origin,
                                                                   const ClientTlsOptions& tls) {
  const Error invalid{ErrorCode::Invalid,
                      "\"" + origin + "\" is no https://host:port of an API server"};
  try {
    const web::uri uri(origin);
    if ((uri.scheme() != "https" && uri.scheme() != "http") || uri.host().empty() ||
        !uri.user_info().empty() ||
        origin.find_first_of("/?#", uri.scheme().size() + 3) != std::string::npos) {
      return invalid;
    }
    if (uri.host().starts_with('[')) {
      return Error{ErrorCode::Invalid,
                   "\"" + origin + "\" names an IPv6 address: give a host name instead"};
    }
    auto connector = std::make_unique<Connector>(origin, uri.host());
    if (auto used = connector->use(tls); !used) {
      return used.error();
    }
    return std::unique_ptr<CpprestTransport>(new CpprestTransport(std::move(connector)));
  } catch (const std::exception&) {
    return invalid;
  }
}

Result<Response> CpprestTransport::send(const Request& request, std::stop_token stop) {
  return connector_->run(request, [&](ExchangeReader& reader, SteadyTime deadline) {
    return reader.read_whole(request, deadline, stop);
  });
}

Result<Response> CpprestTransport::stream(const Request& request,
                                          std::chrono::milliseconds idle_timeout,
                                          const ByteSink& sink,
                                          std::stop_token stop) {
  return connector_->run(request, [&](ExchangeReader& reader, SteadyTime deadline) {
    return reader.read_stream(request, deadline, idle_timeout, sink, stop);
  });
}

Result<void> CpprestTransport::update_tls(const ClientTlsOptions& tls) {
  return connector_->use(tls);
}

}  // namespace scaledcache::http
