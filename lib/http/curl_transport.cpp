#include "http/curl_transport.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <sys/socket.h>

#include "base/clock.h"
#include "http/answer_reader.h"
#include "http/curl_error.h"
#include "http/curl_pool.h"
#include "http/curl_request.h"
#include "http/peer_tls.h"
#include "http/trust_store.h"
#include "http/url.h"

namespace scaledcache::http {
namespace {

// What the callbacks of one transfer see.
struct Transfer {
  const Request& request;
  const Url& url;          // of the request
  const std::string name;  // what the peer's certificate must be made out for
  const std::vector<Address>& vetted;
  TrustStore& trust;
  AnswerReader reader{request};
  std::optional<Error> failure{};  // what a callback found, when libcurl cannot know it
  std::array<char, CURL_ERROR_SIZE> detail{};
};

curl_socket_t open_socket(void* data, curlsocktype, curl_sockaddr* target) {
  Transfer& transfer = *static_cast<Transfer*>(data);
  const std::optional<Address> address = address_of(target->addr);
  const auto& vetted = transfer.vetted;
  if (!address || std::find(vetted.begin(), vetted.end(), *address) == vetted.end()) {
    transfer.failure = Error{ErrorCode::Forbidden, "an address was not vetted"};
    return CURL_SOCKET_BAD;
  }
  return ::socket(target->family, target->socktype | SOCK_CLOEXEC, target->protocol);
}

CURLcode prepare_tls(CURL*, void* context, void* data) {
  Transfer& transfer = *static_cast<Transfer*>(data);
  auto& fresh = *static_cast<ssl_ctx_st*>(context);
  const PeerTls* tls = transfer.request.tls.get();
  Result<void> prepared = tls != nullptr && tls->authorities() != nullptr
                              ? verify_peer(fresh, *tls->authorities(), transfer.name)
                              : transfer.trust.apply(fresh, transfer.name);
  if (prepared && tls != nullptr) {
    prepared = tls->show_identity(fresh);
  }
  if (!prepared) {
    transfer.failure = prepared.error();
    return CURLE_SSL_CACERT_BADFILE;
  }
  return CURLE_OK;
}

// Both return a wrong count to end the transfer.
std::size_t take_header(char* bytes, std::size_t size, std::size_t count, void* data) {
  AnswerReader& reader = static_cast<Transfer*>(data)->reader;
  return reader.take_header_line({bytes, size * count}) ? size * count : 0;
}

std::size_t take_body(char* bytes, std::size_t size, std::size_t count, void* data) {
  AnswerReader& reader = static_cast<Transfer*>(data)->reader;
  return reader.take_body({bytes, size * count}) ? size * count : CURL_WRITEFUNC_ERROR;
}

void set_callbacks(CURL* easy, Transfer& transfer) {
  set(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  set(easy, CURLOPT_OPENSOCKETDATA, &transfer);
  set(easy, CURLOPT_SSL_CTX_FUNCTION, prepare_tls);
  set(easy, CURLOPT_SSL_CTX_DATA, &transfer);
  set(easy, CURLOPT_HEADERFUNCTION, take_header);
  set(easy, CURLOPT_HEADERDATA, &transfer);
  set(easy, CURLOPT_WRITEFUNCTION, take_body);
  set(easy, CURLOPT_WRITEDATA, &transfer);
  set(easy, CURLOPT_ERRORBUFFER, transfer.detail.data());
}

// Drives the one transfer on `multi` to its end; nothing when `stop` came first.
std::optional<CURLcode> run(CURLM* multi, const std::stop_token& stop) {
  const std::stop_callback wake(stop, [multi] { curl_multi_wakeup(multi); });
  constexpr int kLongestWaitMs = 1000;  // libcurl's own timers end the wait before
  for (int running = 1; running > 0;) {
    if (stop.stop_requested()) {
      return std::nullopt;
    }
    if (curl_multi_perform(multi, &running) != CURLM_OK) {
      return CURLE_FAILED_INIT;
    }
    if (running > 0) {
      curl_multi_poll(multi, nullptr, 0, kLongestWaitMs, nullptr);
    }
  }
  int left = 0;
  const CURLMsg* message = curl_multi_info_read(multi, &left);
  return message != nullptr ? message->data.result : CURLE_FAILED_INIT;
}

Result<Response> outcome(CURL* easy, std::optional<CURLcode> code, Transfer& transfer) {
  if (!code) {
    return Error{ErrorCode::Cancelled, "stopped while waiting for an answer"};
  }
  if (!transfer.reader.refusal().empty()) {
    return Error{ErrorCode::Protocol, transfer.reader.refusal()};
  }
  if (*code != CURLE_OK) {
    return transfer.failure ? *transfer.failure : error_of(easy, *code, transfer.detail.data());
  }
  if (!transfer.reader.has_head()) {
    return Error{ErrorCode::Protocol, "the answer has no final head"};
  }
  return transfer.reader.take_response();
}

}  // namespace

class CurlTransport::Impl {
 public:
  Impl(CurlOptions options, Resolver& resolver)
      : options_(std::move(options)),
        resolver_(resolver),
        trust_(options_.ca_file),
        pool_(options_.max_idle_connections) {}

  Result<Response> send(const Request& request, const Url& url, const std::stop_token& stop) {
    const SteadyTime deadline = system_clock().steady() + request.timeout;
    const Result<std::vector<Address>> vetted = vet(request, url, stop);
    if (!vetted) {
      return vetted.error();
    }
    const Milliseconds rest = std::chrono::ceil<Milliseconds>(deadline - system_clock().steady());
    if (rest <= Milliseconds::zero()) {
      return Error{ErrorCode::Timeout, "resolving the name took too long"};
    }
    const bool other_name = request.tls && !request.tls->server_name().empty();
    Transfer transfer{request, url, other_name ? request.tls->server_name() : url.host, *vetted,
                      trust_};
    return transmit(transfer, rest, stop);
  }

 private:
  // The addresses to dial, all of them allowed: the pod's, or those of the URL's host.
  Result<std::vector<Address>> vet(const Request& request,
                                   const Url& url,
                                   const std::stop_token& stop) {
    const std::optional<Address> literal =
        request.pod ? request.pod->address : parse_address(url.host);
    Result<std::vector<Address>> addresses =
        literal ? std::vector<Address>{*literal}
                : resolver_.resolve(url.host, request.timeout, stop);
    if (!addresses) {
      return addresses;
    }
    for (const Address& address : *addresses) {
      const Result<void> verdict = options_.addresses.judge(address);
      if (!verdict) {
        return verdict.error();
      }
    }
    return addresses;
  }

  Result<Response> transmit(Transfer& transfer, Milliseconds rest, const std::stop_token& stop) {
    const std::optional<PodCall>& pod = transfer.request.pod;
    const PeerTls* tls = transfer.request.tls.get();
    // Pods of one fleet share their origin: a connection is one pod's. And it is one identity's.
    std::string peer = transfer.url.origin() + (pod ? " at " + to_string(pod->address) : "") +
                       (tls != nullptr ? " as " + tls->fingerprint() : "");
    CurlMulti multi = pool_.take(peer);
    const CurlEasy easy(curl_easy_init());
    if (!multi || !easy) {
      return Error{ErrorCode::Unavailable, "libcurl has no memory left"};
    }
    const CurlList headers = make_headers(transfer.request, transfer.url);
    const std::string& host = transfer.url.host;
    const CurlList detour = make_detour(pod ? to_string(pod->address) : host);
    const CurlList resolution = make_resolution(transfer.url, transfer.vetted);
    // The name in the URL is the one that TLS asks for and verifies.
    Url shown = transfer.url;
    shown.host = transfer.name;
    const std::string text = shown.text();
    set_what_holds_for_all(easy.get());
    set_method(easy.get(), transfer.request);
    set_callbacks(easy.get(), transfer);
    set(easy.get(), CURLOPT_URL, text.c_str());
    set(easy.get(), CURLOPT_HTTPHEADER, headers.get());
    if (pod || transfer.name != host) {
      set(easy.get(), CURLOPT_CONNECT_TO, detour.get());
    }
    if (!pod && !parse_address(host)) {
      set(easy.get(), CURLOPT_RESOLVE, resolution.get());
    }
    const Milliseconds connect = std::min(rest, options_.connect_timeout);
    set(easy.get(), CURLOPT_TIMEOUT_MS, long{rest.count()});
    set(easy.get(), CURLOPT_CONNECTTIMEOUT_MS, long{connect.count()});
    curl_multi_add_handle(multi.get(), easy.get());
    Result<Response> result = outcome(easy.get(), run(multi.get(), stop), transfer);
    curl_multi_remove_handle(multi.get(), easy.get());
    pool_.put(std::move(peer), std::move(multi));
    return result;
  }

  const CurlOptions options_;
  Resolver& resolver_;
  TrustStore trust_;
  CurlPool pool_;
};

CurlTransport::CurlTransport(CurlOptions options, Resolver& resolver)
    : impl_((set_up_curl(), std::make_unique<Impl>(std::move(options), resolver))) {}

CurlTransport::~CurlTransport() = default;

Result<Response> CurlTransport::send(const Request& request, std::stop_token stop) {
  const Result<Url> url = parse_url(request.url);
  if (!url) {
    return url.error();
  }
  const Result<void> headers = check_headers(request);
  if (!headers) {
    return headers.error();
  }
  if (request.tls && url->scheme != "https") {
    return Error{ErrorCode::Invalid, "there is no TLS to an address of plain http"};
  }
  Result<Response> result = impl_->send(request, *url, stop);
  if (!result) {
    return Error{result.error().code, url->authority() + ": " + result.error().message};
  }
  return result;
}

}  // namespace scaledcache::http
