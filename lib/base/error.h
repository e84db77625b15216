// The vocabulary of failures. A code is named by what its receiver does next, so that one switch in
// the reconciler can turn any error into a delay.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace scaledcache {

enum class ErrorCode {
  NotFound,      // forget the object, or say that it is missing
  Conflict,      // read again, decide again, now
  Gone,          // list again: the resource version is too old
  Invalid,       // a bad spec or a request that can never succeed: wait for an edit
  NoData,        // the answer holds no sample: hold
  RateLimited,   // back off, at least retry_after
  Unavailable,   // back off: connection refused, reset, 5xx
  Timeout,       // back off: the total deadline passed; a write may have been applied
  Unauthorized,  // back off slowly: credentials are missing or were refused
  Forbidden,     // back off slowly: credentials are good, rights are missing
  Protocol,      // the peer broke the protocol or a limit: hold, count
  Cancelled,     // we are stopping
};

inline constexpr std::array kAllErrorCodes{
    ErrorCode::NotFound,     ErrorCode::Conflict,    ErrorCode::Gone,        ErrorCode::Invalid,
    ErrorCode::NoData,       ErrorCode::RateLimited, ErrorCode::Unavailable, ErrorCode::Timeout,
    ErrorCode::Unauthorized, ErrorCode::Forbidden,   ErrorCode::Protocol,    ErrorCode::Cancelled};

[[nodiscard]] std::string_view name_of(ErrorCode code);

// A failure, with one sentence for people. `message` never holds a secret, the query string of a
// URL, or text taken from an untrusted peer.
struct Error {
  ErrorCode code = ErrorCode::Unavailable;
  std::string message;
  std::optional<std::chrono::milliseconds> retry_after{};  // what the peer asked for, if it did

  bool operator==(const Error&) const = default;
};

}  // namespace scaledcache
