#include "prom/verdict.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "http/ascii.h"

namespace scaledcache::prom {
namespace {

// application/json, VictoriaMetrics' application/stream+json, or any other +json.
bool is_json(std::string_view content_type) {
  const std::string type =
      http::to_lower(http::trim_blanks(content_type.substr(0, content_type.find(';'))));
  return type == "application/json" || type.ends_with("+json");
}

std::optional<Milliseconds> retry_after(const http::Headers& headers) {
  constexpr std::int64_t kLongest = 30;
  const std::string_view text = http::trim_blanks(http::find_header(headers, "Retry-After"));
  if (text.empty() || !std::all_of(text.begin(), text.end(), http::is_digit)) {
    return std::nullopt;
  }
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool fits = error == std::errc() && seconds < kLongest;
  return std::chrono::seconds(fits ? seconds : kLongest);
}

ErrorCode code_of(int status) {
  switch (status) {
    case 400:
    case 413:
    case 414:
    case 422:
      return ErrorCode::Invalid;
    case 401:
    case 403:
      return ErrorCode::Unauthorized;
    case 408:
    case 504:
      return ErrorCode::Timeout;
    case 429:
      return ErrorCode::RateLimited;
    default:
      return status >= 500 && status < 600 ? ErrorCode::Unavailable : ErrorCode::Protocol;
  }
}

std::string_view phrase_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::Invalid:
      return "the backend refuses the query";
    case ErrorCode::Unauthorized:
      return "the backend refuses the credentials";
    case ErrorCode::Timeout:
      return "the backend did not answer in time";
    case ErrorCode::RateLimited:
      return "the backend asks for fewer queries";
    case ErrorCode::Unavailable:
      return "the backend failed";
    default:
      return "no Prometheus HTTP API answers at this address";
  }
}

}  // namespace

Result<void> judge_response(const http::Response& response) {
  if (response.status != 200) {
    const ErrorCode code = code_of(response.status);
    Error error{code,
                std::string(phrase_of(code)) + " (HTTP " + std::to_string(response.status) + ")"};
    if (code == ErrorCode::RateLimited || code == ErrorCode::Unavailable) {
      error.retry_after = retry_after(response.headers);
    }
    return error;
  }
  const std::string_view encoding = http::find_header(response.headers, "Content-Encoding");
  if (!encoding.empty() && !http::equal_ignoring_case(encoding, "identity")) {
    return Error{ErrorCode::Protocol, "the answer is compressed, though none was asked for"};
  }
  if (!is_json(http::find_header(response.headers, "Content-Type"))) {
    return Error{ErrorCode::Protocol, "the answer is not of a JSON content type"};
  }
  return {};
}

}  // namespace scaledcache::prom
