// The one parser of URLs: what it refuses is never dialled, and what it accepts has a single
// meaning for everything behind it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace scaledcache::http {

// A parsed URL in canonical form; parse_url() is the only maker of new ones.
struct Url {
  std::string scheme;      // "http" or "https"
  std::string host;        // lower-case name, dotted quad, or IPv6 text without brackets
  std::uint16_t port = 0;  // never 0: the scheme's own when the text has none
  std::string path;        // starts with '/', as written
  std::string query;       // without '?', as written; may be empty

  bool operator==(const Url&) const = default;

  // "host:port", with brackets round an IPv6 host: for Host headers and error messages.
  [[nodiscard]] std::string authority() const;

  // "scheme://host:port": what must be equal before credentials are sent.
  [[nodiscard]] std::string origin() const;

  // The whole URL, with the query: for the wire, not for logs.
  [[nodiscard]] std::string text() const;

  // The URL without its query: for logs and messages.
  [[nodiscard]] std::string redacted() const;
};

// Accepts absolute http and https URLs of at most 32 KiB without user name, fragment, white space,
// control characters, bytes outside ASCII, or any IPv4 form but four decimal numbers. Invalid with
// a sentence that does not repeat the text, which may hold a password.
[[nodiscard]] Result<Url> parse_url(std::string_view text);

// `base` with `path` behind its own path, and `query` behind its own query. `path` starts with '/';
// a slash at the end of the base path makes no difference. Both must be percent-encoded already.
[[nodiscard]] Url join_url(const Url& base, std::string_view path, std::string_view query = {});

}  // namespace scaledcache::http
