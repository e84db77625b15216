#include "loopback/http_request.h"

#include <algorithm>

namespace scaledcache::loopback {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::string decode(std::string_view text, bool plus_is_space) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
        hex_digit(text[i + 2]) >= 0) {
      decoded += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      decoded += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return decoded;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

}  // namespace

std::string HttpRequest::parameter(std::string_view name) const {
  const auto found = query.find(name);
  return found == query.end() ? std::string() : found->second;
}

std::string HttpRequest::header(std::string_view name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string() : found->second;
}

std::map<std::string, std::string, std::less<>> parse_form(std::string_view text) {
  std::map<std::string, std::string, std::less<>> form;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    form[decode(pair.substr(0, equals), true)] =
        decode(pair.substr(std::min(equals + 1, pair.size())), true);
    text.remove_prefix(std::min(pair.size() + 1, text.size()));
  }
  return form;
}

HttpRequest parse_request(std::string_view text) {
  HttpRequest request;
  const std::size_t head_end = text.find("\r\n\r\n");
  std::string_view head = text.substr(0, head_end + 2);
  request.body = text.substr(head_end + 4);
  const std::string_view line = head.substr(0, head.find("\r\n"));
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  request.method = line.substr(0, first);
  request.target = line.substr(first + 1, last - first - 1);
  const std::string_view target = request.target;
  const std::size_t mark = std::min(target.find('?'), target.size());
  request.path = decode(target.substr(0, mark), false);
  if (mark < target.size()) {
    request.query = parse_form(target.substr(mark + 1));
  }
  head.remove_prefix(line.size() + 2);
  while (!head.empty()) {
    const std::size_t end = head.find("\r\n");
    const std::string_view field = head.substr(0, end);
    const std::size_t colon = field.find(':');
    if (colon != std::string_view::npos) {
      const std::size_t value = field.find_first_not_of(' ', colon + 1);
      request.headers[lower(std::string(field.substr(0, colon)))] =
          field.substr(std::min(value, field.size()));
    }
    head.remove_prefix(end + 2);
  }
  return request;
}

}  // namespace scaledcache::loopback
