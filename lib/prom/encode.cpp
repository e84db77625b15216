#include "prom/encode.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "http/ascii.h"
#include "http/url.h"

namespace scaledcache::prom {
namespace {

constexpr std::size_t kLongestGetUrl = 2000;
constexpr int kMostPoints = 11'000;  // Prometheus refuses more

Error invalid(std::string sentence) {
  return Error{ErrorCode::Invalid, std::move(sentence)};
}

// tchar of RFC 9110.
bool is_token(std::string_view name) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::all_of(name.begin(), name.end(), [&](char c) {
    return http::is_alnum(c) || kMarks.find(c) != std::string_view::npos;
  });
}

bool is_header_value(std::string_view value) {
  return std::all_of(value.begin(), value.end(), [](char c) {
    const auto byte = static_cast<std::uint8_t>(c);
    return c == '\t' || (byte >= 0x20 && byte != 0x7f);
  });
}

bool is_ours(std::string_view name) {
  constexpr std::array<std::string_view, 9> kOurs{
      "accept",           "accept-encoding", "connection", "content-encoding",
      "content-length",   "content-type",    "host",       "te",
      "transfer-encoding"};
  return std::find(kOurs.begin(), kOurs.end(), http::to_lower(name)) != kOurs.end();
}

std::string_view without_line_end(std::string_view value) {
  if (value.ends_with('\n')) {
    value.remove_suffix(1);
  }
  if (value.ends_with('\r')) {
    value.remove_suffix(1);
  }
  return value;
}

Result<void> add_header(http::Headers& headers, const std::string& name, std::string_view value) {
  if (!is_token(name)) {
    return invalid("a header's name holds a character that headers cannot have");
  }
  if (is_ours(name)) {
    return invalid("the header " + name + " is set by the operator and cannot be chosen");
  }
  if (!is_header_value(value)) {
    return invalid("the value of the header " + name + " holds a line end or a control character");
  }
  headers.push_back({name, std::string(value)});
  return {};
}

Result<http::Headers> encode_headers(const Backend& backend) {
  http::Headers headers{{"Accept", "application/json"}};
  for (const http::Header& header : backend.headers) {
    if (auto added = add_header(headers, header.name, header.value); !added) {
      return added.error();
    }
  }
  for (const SecretHeader& header : backend.secret_headers) {
    const std::string_view value = without_line_end(header.value.reveal());
    if (auto added = add_header(headers, header.name, value); !added) {
      return added.error();
    }
  }
  return headers;
}

bool has(const Parameters& parameters, std::string_view name) {
  return std::any_of(parameters.begin(), parameters.end(),
                     [&](const Parameter& parameter) { return parameter.name == name; });
}

Result<std::string> encode_form(Parameters question, const Parameters& extra) {
  for (const Parameter& parameter : extra) {
    if (parameter.name.empty() || has(question, parameter.name)) {
      return invalid("a query parameter of the backend is empty or one that the operator sets");
    }
  }
  question.insert(question.end(), extra.begin(), extra.end());
  for (const auto& [name, value] :
       {std::pair{"partial_response", "false"}, std::pair{"deny_partial_response", "1"}}) {
    if (!has(extra, name)) {
      question.push_back({name, value});
    }
  }
  std::string form;
  for (const Parameter& parameter : question) {
    form += form.empty() ? "" : "&";
    form += percent_encoded(parameter.name) + "=" + percent_encoded(parameter.value);
  }
  return form;
}

Result<http::Request> encode(const Backend& backend, std::string_view path, Parameters question) {
  const auto base = http::parse_url(backend.url);
  if (!base) {
    return base.error();
  }
  auto headers = encode_headers(backend);
  if (!headers) {
    return headers.error();
  }
  auto form = encode_form(std::move(question), backend.parameters);
  if (!form) {
    return form.error();
  }
  http::Request request{
      .headers = *std::move(headers), .timeout = backend.timeout, .tls = backend.tls};
  request.url = http::join_url(*base, path, *form).text();
  if (request.url.size() > kLongestGetUrl) {
    request.method = http::Method::Post;
    request.url = http::join_url(*base, path).text();
    request.headers.push_back({"Content-Type", "application/x-www-form-urlencoded"});
    request.body = *std::move(form);
  }
  return request;
}

// "12.345": what both stores read as seconds, at any size.
std::string seconds(Milliseconds time) {
  const auto milliseconds = time.count();
  std::string fraction = std::to_string(milliseconds % 1000);
  fraction.insert(0, 3 - fraction.size(), '0');
  return std::to_string(milliseconds / 1000) + "." + fraction;
}

}  // namespace

Result<http::Request> encode_query(const Backend& backend, std::string_view text) {
  return encode(backend, "/api/v1/query", {{"query", std::string(text)}});
}

Result<http::Request> encode_range_query(const Backend& backend, const RangeQuery& query) {
  const Milliseconds start = query.start.time_since_epoch();
  const Milliseconds end = query.end.time_since_epoch();
  if (start < Milliseconds::zero() || end < start || query.step <= Milliseconds::zero() ||
      (end - start) / query.step >= kMostPoints) {
    return invalid(
        "a range query needs a start after 1970, an end not before it, and a step that "
        "makes at most 11000 points");
  }
  return encode(backend, "/api/v1/query_range",
                {{"query", query.text},
                 {"start", seconds(start)},
                 {"end", seconds(end)},
                 {"step", seconds(query.step)}});
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  constexpr std::string_view kPlain = "-._~";
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    if (http::is_alnum(c) || kPlain.find(c) != std::string_view::npos) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<std::uint8_t>(c);
    encoded += '%';
    encoded += kHex[byte >> 4];
    encoded += kHex[byte & 15];
  }
  return encoded;
}

}  // namespace scaledcache::prom
