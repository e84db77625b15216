#include "http/head.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/ascii.h"

namespace scaledcache::http {
namespace {

Error broken(std::string message) {
  return Error{ErrorCode::Protocol, std::move(message)};
}

std::size_t size_of(const Headers& headers) {
  std::size_t bytes = 0;
  for (const Header& header : headers) {
    bytes += header.name.size() + header.value.size() + 4;  // ": " and the end of the line
  }
  return bytes;
}

Result<void> judge_framing(const Headers& headers, std::size_t max_body_bytes) {
  const std::string_view coding = find_header(headers, "transfer-encoding");
  if (!coding.empty()) {
    if (equal_ignoring_case(coding, "chunked")) {
      return {};
    }
    return broken("the answer uses a transfer coding other than chunked");
  }
  const std::string_view length = find_header(headers, "content-length");
  std::uint64_t bytes = 0;
  const auto [end, fault] = std::from_chars(length.data(), length.data() + length.size(), bytes);
  if (fault != std::errc{} || end != length.data() + length.size()) {
    return broken("the answer is neither chunked nor has a length, so its end cannot be told");
  }
  if (bytes > max_body_bytes) {
    return broken("the answer announces a body larger than " + std::to_string(max_body_bytes) +
                  " bytes");
  }
  return {};
}

bool has_line_break(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
}

}  // namespace

Result<void> judge_head(const Head& head,
                        Method method,
                        std::size_t max_header_bytes,
                        std::size_t max_body_bytes) {
  if (head.status < 200 || head.status > 599) {
    return broken("status " + std::to_string(head.status) + " is no final answer");
  }
  if (head.status >= 300 && head.status < 400) {
    return broken("the answer is a redirect (" + std::to_string(head.status) +
                  "), which is never followed");
  }
  if (size_of(head.headers) > max_header_bytes) {
    return broken("the header block is larger than " + std::to_string(max_header_bytes) + " bytes");
  }
  const std::string_view coding = find_header(head.headers, "content-encoding");
  if (!coding.empty() && !equal_ignoring_case(coding, "identity")) {
    return broken("the answer is compressed, which was not asked for");
  }
  if (method == Method::Head || head.status == 204) {
    return {};  // no body follows, whatever the headers say
  }
  return judge_framing(head.headers, max_body_bytes);
}

Result<void> judge_request_headers(const Headers& headers) {
  constexpr std::array<std::string_view, 5> kOfLibrary{"host", "connection", "accept-encoding",
                                                       "content-length", "transfer-encoding"};
  for (const std::string_view name : kOfLibrary) {
    if (!find_header(headers, name).empty()) {
      return Error{ErrorCode::Invalid, "request header " + std::string(name) + " may not be set"};
    }
  }
  for (const Header& header : headers) {
    if (has_line_break(header.name) || has_line_break(header.value)) {
      return Error{ErrorCode::Invalid, "a request header holds a line break"};
    }
  }
  return {};
}

}  // namespace scaledcache::http
