#include "k8s/label_matcher.h"

#include <optional>
#include <utility>

namespace scaledcache::k8s {
namespace {

Error invalid(const std::string& what) {
  return Error{ErrorCode::Invalid,
               what + "; write matchers as in PromQL: job=\"varnish\", host!=\"admin\""};
}

bool starts_label(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool continues_label(char c) {
  return starts_label(c) || (c >= '0' && c <= '9');
}

void skip_spaces(std::string_view& rest) {
  while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\t' || rest.front() == '\n')) {
    rest.remove_prefix(1);
  }
}

std::string take_label(std::string_view& rest) {
  std::size_t length = 0;
  while (length < rest.size() &&
         (length == 0 ? starts_label(rest[length]) : continues_label(rest[length]))) {
    ++length;
  }
  std::string label(rest.substr(0, length));
  rest.remove_prefix(length);
  return label;
}

std::string take_operator(std::string_view& rest) {
  for (const std::string_view op : {"=~", "!~", "!=", "="}) {
    if (rest.starts_with(op)) {
      rest.remove_prefix(op.size());
      return std::string(op);
    }
  }
  return {};
}

std::optional<char> unescaped(char c) {
  switch (c) {
    case '\\':
    case '"':
    case '\'':
      return c;
    case 'n':
      return '\n';
    case 't':
      return '\t';
    default:
      return std::nullopt;
  }
}

// Takes a string in double or single quotes, or nothing when there is none.
std::optional<std::string> take_string(std::string_view& rest) {
  if (rest.empty() || (rest.front() != '"' && rest.front() != '\'')) {
    return std::nullopt;
  }
  const char quote = rest.front();
  std::string value;
  for (std::size_t at = 1; at < rest.size(); ++at) {
    if (rest[at] == quote) {
      rest.remove_prefix(at + 1);
      return value;
    }
    if (rest[at] != '\\') {
      value += rest[at];
      continue;
    }
    const auto plain = ++at < rest.size() ? unescaped(rest[at]) : std::nullopt;
    if (!plain) {
      return std::nullopt;
    }
    value += *plain;
  }
  return std::nullopt;
}

Result<LabelMatcher> take_matcher(std::string_view& rest) {
  LabelMatcher matcher;
  matcher.label = take_label(rest);
  if (matcher.label.empty()) {
    return invalid("a label name is missing");
  }
  skip_spaces(rest);
  matcher.op = take_operator(rest);
  if (matcher.op.empty()) {
    return invalid("the label " + matcher.label + " has none of =, !=, =~, !~ behind it");
  }
  skip_spaces(rest);
  auto value = take_string(rest);
  if (!value) {
    return invalid("the label " + matcher.label + " has no quoted value");
  }
  matcher.value = *std::move(value);
  return matcher;
}

// The text between the braces, where there are any; nothing when only one of them is there.
std::optional<std::string_view> without_braces(std::string_view text) {
  skip_spaces(text);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\n')) {
    text.remove_suffix(1);
  }
  if (!text.starts_with('{')) {
    return text.ends_with('}') ? std::nullopt : std::optional(text);
  }
  if (!text.ends_with('}')) {
    return std::nullopt;
  }
  return text.substr(1, text.size() - 2);
}

}  // namespace

Result<std::vector<LabelMatcher>> parse_label_matchers(std::string_view text) {
  const auto inner = without_braces(text);
  if (!inner) {
    return invalid("a brace has no partner");
  }
  std::string_view rest = *inner;
  std::vector<LabelMatcher> matchers;
  skip_spaces(rest);
  while (!rest.empty()) {
    auto matcher = take_matcher(rest);
    if (!matcher) {
      return matcher.error();
    }
    matchers.push_back(*std::move(matcher));
    skip_spaces(rest);
    if (!rest.empty() && rest.front() != ',') {
      return invalid("a comma is missing behind the label " + matchers.back().label);
    }
    rest.remove_prefix(rest.empty() ? 0 : 1);
    skip_spaces(rest);
  }
  return matchers;
}

}  // namespace scaledcache::k8s
