#include "cache/cache_status.h"

#include <charconv>

#include "http/ascii.h"

namespace scaledcache::cache {
namespace {

using http::equal_ignoring_case;
using http::trim_blanks;

// The parts of `text` between `separator` where it stands outside of quoted strings.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && text[i] == separator) {
      parts.push_back(trim_blanks(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  parts.push_back(trim_blanks(text.substr(begin)));
  return parts;
}

std::string_view unquoted(std::string_view text) {
  return text.size() >= 2 && text.front() == '"' && text.back() == '"'
             ? text.substr(1, text.size() - 2)
             : text;
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole ? std::optional<Number>(number) : std::nullopt;
}

void take_parameter(std::string_view parameter, CacheStatus& status) {
  const std::size_t equals = parameter.find('=');
  const std::string_view name = trim_blanks(parameter.substr(0, equals));
  const std::string_view value = equals == std::string_view::npos
                                     ? std::string_view("?1")
                                     : trim_blanks(parameter.substr(equals + 1));
  if (equal_ignoring_case(name, "hit")) {
    status.hit = value != "?0";
  } else if (equal_ignoring_case(name, "fwd")) {
    status.fwd = http::to_lower(unquoted(value));
  } else if (equal_ignoring_case(name, "fwd-status")) {
    status.fwd_status = number_in<int>(value);
  } else if (equal_ignoring_case(name, "ttl")) {
    status.ttl = number_in<long>(value);
  }
}

}  // namespace

std::optional<CacheStatus> last_cache_status(const std::vector<std::string_view>& lines) {
  if (lines.empty()) {
    return std::nullopt;
  }
  const std::string_view member = split(lines.back(), ',').back();
  const std::vector<std::string_view> parts = split(member, ';');
  if (parts.front().empty()) {
    return std::nullopt;
  }
  CacheStatus status;
  status.cache = std::string(unquoted(parts.front()));
  for (std::size_t i = 1; i < parts.size(); ++i) {
    take_parameter(parts[i], status);
  }
  if (!status.fwd.empty()) {
    status.hit = false;  // they exclude each other
  }
  return status;
}

}  // namespace scaledcache::cache
