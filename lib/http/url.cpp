#include "http/url.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "http/address.h"
#include "http/ascii.h"

namespace scaledcache::http {
namespace {

constexpr std::size_t kMaxUrlBytes = std::size_t{32} << 10;
constexpr std::size_t kMaxHostBytes = 253;
constexpr std::size_t kMaxLabelBytes = 63;

Error invalid(std::string_view what) {
  return Error{ErrorCode::Invalid, "URL " + std::string(what)};
}

// Cuts `rest` at the first of `marks`; returns what stood before it.
std::string_view cut_before(std::string_view& rest, std::string_view marks) {
  const std::string_view head = rest.substr(0, rest.find_first_of(marks));
  rest.remove_prefix(head.size());
  return head;
}

bool is_label(std::string_view label) {
  return !label.empty() && label.size() <= kMaxLabelBytes && label.front() != '-' &&
         label.back() != '-' && std::all_of(label.begin(), label.end(), [](char c) {
           return is_alnum(c) || c == '-' || c == '_';
         });
}

// Decides as browsers do: a last label of digits, or of 0x and hex digits, means an IPv4 address.
bool ends_in_number(std::string_view label) {
  if (label.starts_with("0x") || label.starts_with("0X")) {
    return std::all_of(label.begin() + 2, label.end(), is_hex);
  }
  return std::all_of(label.begin(), label.end(), is_digit);
}

Result<std::string> canonical_name(std::string_view host) {
  if (host.empty()) {
    return invalid("has no host");
  }
  if (host.size() > kMaxHostBytes) {
    return invalid("has a host longer than 253 characters");
  }
  if (host.ends_with('.')) {
    return invalid("has a host that ends in a dot, which must be left out");
  }
  std::string_view last;
  for (std::string_view rest = host;; rest.remove_prefix(1)) {
    last = cut_before(rest, ".");
    if (!is_label(last)) {
      return invalid("has a host that is neither a DNS name nor an address");
    }
    if (rest.empty()) {
      break;
    }
  }
  if (ends_in_number(last) && !parse_address(host)) {
    return invalid("has an IPv4 address that is not four decimal numbers");
  }
  return to_lower(host);
}

Result<std::string> canonical_v6(std::string_view host) {
  const std::optional<Address> address = parse_address(host);
  if (!address || address->family != AddressFamily::V6) {
    return invalid("has brackets round something that is not an IPv6 address");
  }
  return to_string(*address);
}

Result<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc{} || end != text.data() + text.size() || port == 0) {
    return invalid("has a port that is not a number from 1 to 65535");
  }
  return port;
}

// Splits "host", "host:port", "[v6]" or "[v6]:port" and fills the host and port of `url`.
Result<void> read_authority(std::string_view authority, Url& url) {
  if (authority.find('@') != std::string_view::npos) {
    return invalid("has a user name, which is not allowed: use a Secret instead");
  }
  const bool bracketed = authority.starts_with('[');
  const std::size_t end = bracketed ? authority.find(']') : authority.find(':');
  if (bracketed && end == std::string_view::npos) {
    return invalid("has a bracket without its partner");
  }
  Result<std::string> host = bracketed ? canonical_v6(authority.substr(1, end - 1))
                                       : canonical_name(authority.substr(0, end));
  if (!host) {
    return host.error();
  }
  url.host = std::move(*host);
  std::string_view rest = authority.substr(std::min(end, authority.size()));
  if (bracketed) {
    rest.remove_prefix(1);
  }
  url.port = url.scheme == "https" ? 443 : 80;
  if (rest.empty()) {
    return {};
  }
  if (rest.front() != ':') {
    return invalid("has something other than a port behind its host");
  }
  const Result<std::uint16_t> port = parse_port(rest.substr(1));
  if (!port) {
    return port.error();
  }
  url.port = *port;
  return {};
}

// The characters of RFC 3986 that a path or query may hold, each '%' with its two digits.
bool is_well_encoded(std::string_view text) {
  constexpr std::string_view kMarks = "-._~!$&'()*+,;=:@/?[]";
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) {
        return false;
      }
    } else if (!is_alnum(text[i]) && kMarks.find(text[i]) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

}  // namespace

std::string Url::authority() const {
  const bool is_v6 = host.find(':') != std::string::npos;
  return (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string Url::origin() const {
  return scheme + "://" + authority();
}

std::string Url::text() const {
  return redacted() + (query.empty() ? "" : "?" + query);
}

std::string Url::redacted() const {
  return origin() + path;
}

Result<Url> parse_url(std::string_view text) {
  if (text.size() > kMaxUrlBytes) {
    return invalid("is longer than 32 KiB");
  }
  if (!is_printable(text)) {
    return invalid("has a space, a control character or a character outside ASCII");
  }
  const std::size_t colon = text.find("://");
  Url url;
  url.scheme = to_lower(text.substr(0, colon));
  if (colon == std::string_view::npos || (url.scheme != "http" && url.scheme != "https")) {
    return invalid("must start with http:// or https://");
  }
  std::string_view rest = text.substr(colon + 3);
  if (rest.find('#') != std::string_view::npos) {
    return invalid("has a fragment ('#'), which is not allowed");
  }
  const Result<void> authority = read_authority(cut_before(rest, "/?"), url);
  if (!authority) {
    return authority.error();
  }
  url.path = cut_before(rest, "?");
  url.path = url.path.empty() ? "/" : url.path;
  url.query = rest.empty() ? rest : rest.substr(1);
  if (!is_well_encoded(url.path) || !is_well_encoded(url.query)) {
    return invalid("has a character in its path or query that must be percent-encoded");
  }
  return url;
}

Url join_url(const Url& base, std::string_view path, std::string_view query) {
  Url joined = base;
  while (joined.path.ends_with('/')) {
    joined.path.pop_back();
  }
  joined.path += path;
  if (!joined.query.empty() && !query.empty()) {
    joined.query += '&';
  }
  joined.query += query;
  return joined;
}

}  // namespace scaledcache::http
