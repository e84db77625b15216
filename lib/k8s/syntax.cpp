#include "k8s/syntax.h"

#include <algorithm>

namespace scaledcache::k8s {
namespace {

bool is_alpha(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_lower_alnum(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z');
}

}  // namespace

bool is_dns_name(std::string_view text, std::size_t max_bytes, bool dots) {
  return !text.empty() && text.size() <= max_bytes && is_lower_alnum(text.front()) &&
         is_lower_alnum(text.back()) && std::all_of(text.begin(), text.end(), [&](char c) {
           return is_lower_alnum(c) || c == '-' || (dots && c == '.');
         });
}

bool is_kind(std::string_view text) {
  constexpr std::size_t kMaxKind = 63;
  return !text.empty() && text.size() <= kMaxKind && is_alpha(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_alpha(c) || is_digit(c); });
}

bool is_identifier(std::string_view text, bool colons) {
  const auto starts = [&](char c) { return is_alpha(c) || c == '_' || (colons && c == ':'); };
  return !text.empty() && starts(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return starts(c) || is_digit(c); });
}

bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return is_alpha(c) || is_digit(c) || kMarks.find(c) != std::string_view::npos;
  });
}

bool has_control_character(std::string_view text, std::string_view allowed) {
  return std::any_of(text.begin(), text.end(), [&](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 || byte == 0x7f) && allowed.find(c) == std::string_view::npos;
  });
}

std::string to_lower(std::string_view text) {
  constexpr char kToLower = 'a' - 'A';
  std::string lower(text);
  for (char& c : lower) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + kToLower) : c;
  }
  return lower;
}

}  // namespace scaledcache::k8s
