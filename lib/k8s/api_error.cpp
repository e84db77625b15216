#include "k8s/api_error.h"

#include <array>
#include <utility>

#include "k8s/utf8.h"
#include "k8s/watch_codec.h"

namespace scaledcache::k8s {
namespace {

struct ReasonCode {
  std::string_view reason;
  ErrorCode code;
};

constexpr std::array kReasons{
    ReasonCode{"NotFound", ErrorCode::NotFound},
    ReasonCode{"AlreadyExists", ErrorCode::Conflict},
    ReasonCode{"Conflict", ErrorCode::Conflict},
    ReasonCode{"Gone", ErrorCode::Gone},
    ReasonCode{"Expired", ErrorCode::Gone},
    ReasonCode{"BadRequest", ErrorCode::Invalid},
    ReasonCode{"Invalid", ErrorCode::Invalid},
    ReasonCode{"MethodNotAllowed", ErrorCode::Invalid},
    ReasonCode{"NotAcceptable", ErrorCode::Invalid},
    ReasonCode{"UnsupportedMediaType", ErrorCode::Invalid},
    ReasonCode{"RequestEntityTooLarge", ErrorCode::Invalid},
    ReasonCode{"Unauthorized", ErrorCode::Unauthorized},
    ReasonCode{"Forbidden", ErrorCode::Forbidden},
    ReasonCode{"TooManyRequests", ErrorCode::RateLimited},
    ReasonCode{"Timeout", ErrorCode::Timeout},
    ReasonCode{"ServerTimeout", ErrorCode::Unavailable},
    ReasonCode{"InternalError", ErrorCode::Unavailable},
    ReasonCode{"ServiceUnavailable", ErrorCode::Unavailable},
    ReasonCode{"StorageReadError", ErrorCode::Unavailable},
};

ErrorCode code_of_http(int status) {
  switch (status) {
    case 401:
      return ErrorCode::Unauthorized;
    case 403:
      return ErrorCode::Forbidden;
    case 404:
      return ErrorCode::NotFound;
    case 409:
      return ErrorCode::Conflict;
    case 410:
      return ErrorCode::Gone;
    case 408:
    case 504:
      return ErrorCode::Timeout;
    case 429:
      return ErrorCode::RateLimited;
    default:
      break;
  }
  if (status >= 500 && status <= 599) {
    return ErrorCode::Unavailable;
  }
  // Anything but an error has no business here: 1xx, 2xx and 3xx are broken protocol.
  return status >= 400 && status <= 499 ? ErrorCode::Invalid : ErrorCode::Protocol;
}

ErrorCode code_of(const ApiStatus& status) {
  for (const ReasonCode& known : kReasons) {
    if (known.reason == status.reason) {
      return known.code;
    }
  }
  return code_of_http(status.code);
}

bool has_cause(const Json& details, std::string_view type) {
  const Json* causes = find_member(details, "causes");
  if (causes == nullptr || !causes->is_array()) {
    return false;
  }
  for (const Json& cause : *causes) {
    if (string_member(cause, "reason") == type) {
      return true;
    }
  }
  return false;
}

std::optional<std::chrono::milliseconds> capped(std::int64_t seconds) {
  const std::chrono::seconds limit =
      std::chrono::duration_cast<std::chrono::seconds>(kMaxRetryAfter);
  return seconds > limit.count() ? kMaxRetryAfter : std::chrono::milliseconds{seconds * 1000};
}

}  // namespace

ApiStatus decode_status(const Json& status, int fallback_code) {
  ApiStatus decoded;
  decoded.code = fallback_code;
  if (string_member(status, "kind") != "Status") {
    return decoded;
  }
  const std::int64_t code = integer_member(status, "code", 0);
  if (code >= 100 && code <= 599) {
    decoded.code = static_cast<int>(code);
  }
  decoded.reason = printable(string_member(status, "reason"));
  const std::string message = string_member(status, "message");
  decoded.message = printable(message);
  // Servers before the cause type existed say it in words only.
  decoded.version_too_large = message.find("Too large resource version") != std::string::npos;
  if (const Json* details = find_member(status, "details")) {
    decoded.version_too_large =
        decoded.version_too_large || has_cause(*details, "ResourceVersionTooLarge");
    const std::int64_t seconds = integer_member(*details, "retryAfterSeconds", 0);
    if (seconds > 0) {
      decoded.retry_after = capped(seconds);
    }
  }
  return decoded;
}

ApiStatus decode_status(const http::Response& response) {
  const Result<Json> body = parse_json(response.body, kMaxJsonDepth);
  ApiStatus status = decode_status(body ? *body : Json(), response.status);
  if (const auto header = parse_retry_after(http::find_header(response.headers, "Retry-After"))) {
    status.retry_after = header;
  }
  return status;
}

Error to_error(const ApiStatus& status, Unprocessable unprocessable) {
  ErrorCode code = code_of(status);
  if (status.code == 422 && unprocessable == Unprocessable::Conflict) {
    code = ErrorCode::Conflict;
  }
  std::string message = "HTTP " + std::to_string(status.code);
  if (!status.reason.empty()) {
    message += " " + status.reason;
  }
  if (!status.message.empty()) {
    message += ": " + status.message;
  }
  return Error{code, std::move(message), status.retry_after};
}

std::optional<std::chrono::milliseconds> parse_retry_after(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  std::int64_t seconds = 0;
  for (const char digit : text) {
    seconds = seconds * 10 + (digit - '0');
    if (capped(seconds) == kMaxRetryAfter) {
      return kMaxRetryAfter;  // before it can overflow
    }
  }
  return capped(seconds);
}

std::string printable(std::string_view text, std::size_t max_bytes) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string clean;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F) {
      clean += c;
    } else {
      clean += {'\\', 'x', kHex[byte >> 4U], kHex[byte & 0xFU]};
    }
  }
  return cut_utf8(clean, max_bytes);
}

}  // namespace scaledcache::k8s
