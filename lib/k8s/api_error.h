// What an answer of the API server means: by the reason of its Status first, by the HTTP code only
// when there is none (a proxy's page).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "http/transport.h"

namespace scaledcache::k8s {

// The longest wait that a Retry-After can ask for.
inline constexpr std::chrono::milliseconds kMaxRetryAfter{30'000};

// The few fields of metav1.Status that decide something.
struct ApiStatus {
  int code = 0;
  std::string reason;                                    // empty when the answer was no Status
  std::string message;                                   // for people: printable, at most 256 bytes
  std::optional<std::chrono::milliseconds> retry_after;  // capped
  bool version_too_large = false;                        // cause ResourceVersionTooLarge
};

// What a 422 says about a request: that it can never succeed, or that a `test` of its JSON patch
// did not hold, which calls for reading again.
enum class Unprocessable { Invalid, Conflict };

// From a decoded Status (an ERROR event carries one too); `fallback_code` when it names no code.
[[nodiscard]] ApiStatus decode_status(const Json& status, int fallback_code);

// From a whole answer: Status body and Retry-After header.
[[nodiscard]] ApiStatus decode_status(const http::Response& response);

// The error that a status stands for. Never Cancelled or NoData.
[[nodiscard]] Error to_error(const ApiStatus& status,
                             Unprocessable unprocessable = Unprocessable::Invalid);

// Seconds as a plain integer, capped at 30 s; nothing for a date or anything else.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_retry_after(std::string_view text);

// `text` cut to `max_bytes` at a character's edge, control characters as \xNN.
[[nodiscard]] std::string printable(std::string_view text, std::size_t max_bytes = 256);

}  // namespace scaledcache::k8s
