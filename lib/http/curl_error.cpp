#include "http/curl_error.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <string>

#include <openssl/x509_vfy.h>

namespace scaledcache::http {
namespace {

std::string connect_failure(CURL* easy) {
  long os_error = 0;
  curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &os_error);
  switch (os_error) {
    case ECONNREFUSED:
      return "connection refused";
    case EHOSTUNREACH:
    case ENETUNREACH:
      return "no route to the peer";
    case EMFILE:
    case ENFILE:
      return "no file descriptor is left";
    default:
      return "cannot connect";
  }
}

// OpenSSL's own phrases, such as "certificate has expired" or "hostname mismatch".
std::string certificate_failure(CURL* easy) {
  long verdict = X509_V_OK;
  curl_easy_getinfo(easy, CURLINFO_SSL_VERIFYRESULT, &verdict);
  const std::string prefix = "the certificate is refused: ";
  return prefix + (verdict == X509_V_OK ? "it is not made out for this name"
                                        : X509_verify_cert_error_string(verdict));
}

Error timeout_error(CURL* easy) {
  curl_off_t connected_after = 0;
  curl_easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &connected_after);
  return {ErrorCode::Timeout, connected_after == 0 ? "no connection within the time limit"
                                                   : "no whole answer within the time limit"};
}

// libcurl reports a lost connection and broken chunks with the same code; only the former comes
// from the system.
Error receive_error(CURL* easy) {
  long os_error = 0;
  curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &os_error);
  return os_error != 0 ? Error{ErrorCode::Unavailable, "the connection was lost"}
                       : Error{ErrorCode::Protocol, "the answer's framing is broken"};
}

// What an alert of the peer says of the certificate that it was shown; OpenSSL's names of alerts.
std::optional<Error> refused_identity(std::string_view detail) {
  const auto tells = [&](std::string_view alert) {
    return detail.find(alert) != std::string_view::npos;
  };
  constexpr std::array<std::string_view, 6> kRefusals{
      "alert bad certificate",     "alert unsupported certificate", "alert certificate revoked",
      "alert certificate expired", "alert certificate unknown",     "alert unknown ca"};
  if (tells("alert certificate required")) {
    return Error{ErrorCode::Unauthorized, "the peer demands a client certificate"};
  }
  if (std::any_of(kRefusals.begin(), kRefusals.end(), tells)) {
    return Error{ErrorCode::Unauthorized, "the peer refuses the client certificate"};
  }
  if (tells("alert handshake failure")) {
    return Error{ErrorCode::Unavailable,
                 "the peer broke off the TLS handshake; it may demand a client certificate"};
  }
  return std::nullopt;
}

}  // namespace

Error error_of(CURL* easy, CURLcode code, std::string_view detail) {
  if (auto refused = refused_identity(detail)) {
    return *std::move(refused);
  }
  switch (code) {
    case CURLE_COULDNT_CONNECT:
      return {ErrorCode::Unavailable, connect_failure(easy)};
    case CURLE_OPERATION_TIMEDOUT:
      return timeout_error(easy);
    case CURLE_SSL_CONNECT_ERROR:
      return {ErrorCode::Unavailable, "the TLS handshake failed"};
    case CURLE_PEER_FAILED_VERIFICATION:
      return {ErrorCode::Unavailable, certificate_failure(easy)};
    case CURLE_GOT_NOTHING:
      return {ErrorCode::Unavailable, "the peer closed without an answer"};
    case CURLE_SEND_ERROR:
      return {ErrorCode::Unavailable, "the connection was lost"};
    case CURLE_RECV_ERROR:
      return receive_error(easy);
    case CURLE_PARTIAL_FILE:
      return {ErrorCode::Unavailable, "the answer was cut short"};
    case CURLE_FILESIZE_EXCEEDED:
      return {ErrorCode::Protocol, "the answer announces a body beyond the limit"};
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
      return {ErrorCode::Protocol, "the answer is not HTTP/1.1"};
    case CURLE_OUT_OF_MEMORY:  // libcurl's word for more than it buffers of one line
      return {ErrorCode::Protocol, "the answer's header has a line beyond 100 KiB"};
    default:
      return {ErrorCode::Unavailable,
              "the transfer failed (libcurl code " + std::to_string(code) + ")"};
  }
}

}  // namespace scaledcache::http
