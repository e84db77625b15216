#include "cache/html_tags.h"

#include <algorithm>

#include "cache/reference.h"
#include "http/ascii.h"

namespace scaledcache::cache {
namespace {

constexpr std::string_view kWhite = " \t\r\n\f";
// Those beyond are passed over: a page of nothing but names would take many times its own memory.
constexpr std::size_t kMaxAttributes = 256;

bool begins_name(char c) {
  return c == '/' || (http::is_alnum(c) && !http::is_digit(c));
}

}  // namespace

std::string_view HtmlTag::attribute(std::string_view wanted) const {
  for (const auto& [key, value] : attributes) {
    if (key == wanted) {
      return value;
    }
  }
  return {};
}

std::optional<HtmlTag> HtmlTags::next() {
  while (true) {
    const std::size_t open = rest_.find('<');
    if (open == std::string_view::npos) {
      return std::nullopt;
    }
    rest_.remove_prefix(open + 1);
    if (rest_.starts_with("!--")) {
      const std::size_t end = rest_.find("-->", 3);
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 3);
    } else if (!rest_.empty() && begins_name(rest_.front())) {
      break;
    }
  }
  HtmlTag tag;
  tag.name = rest_.front() == '/' ? "/" : "";
  rest_.remove_prefix(tag.name.size());
  tag.name += http::to_lower(take_until(" \t\r\n\f/>"));
  if (!read_attributes(tag)) {
    return std::nullopt;
  }
  if (tag.name == "script" || tag.name == "style") {
    tag.content = take_content(tag.name);
  }
  return tag;
}

bool HtmlTags::read_attributes(HtmlTag& tag) {
  while (true) {
    rest_.remove_prefix(std::min(rest_.size(), rest_.find_first_not_of(" \t\r\n\f/")));
    if (rest_.empty()) {
      return false;
    }
    if (rest_.front() == '>') {
      rest_.remove_prefix(1);
      return true;
    }
    std::string name = http::to_lower(take_until(" \t\r\n\f/>="));
    rest_.remove_prefix(std::min(rest_.size(), rest_.find_first_not_of(kWhite)));
    std::string value;
    if (rest_.starts_with('=')) {
      rest_.remove_prefix(1);
      value = read_value();
    }
    if (!name.empty() && tag.attributes.size() < kMaxAttributes) {
      tag.attributes.emplace_back(std::move(name), std::move(value));
    }
  }
}

std::string_view HtmlTags::take_until(std::string_view ends) {
  const std::string_view text = rest_.substr(0, rest_.find_first_of(ends));
  rest_.remove_prefix(text.size());
  return text;
}

std::string HtmlTags::read_value() {
  rest_.remove_prefix(std::min(rest_.size(), rest_.find_first_not_of(kWhite)));
  if (!rest_.starts_with('"') && !rest_.starts_with('\'')) {
    return decode_entities(take_until(" \t\r\n\f>"));
  }
  const std::string_view quote = rest_.substr(0, 1);
  rest_.remove_prefix(1);
  const std::string_view value = take_until(quote);
  rest_.remove_prefix(std::min<std::size_t>(rest_.size(), 1));
  return decode_entities(value);
}

std::string_view HtmlTags::take_content(std::string_view name) {
  for (std::size_t at = 0; (at = rest_.find("</", at)) != std::string_view::npos; ++at) {
    if (http::equal_ignoring_case(rest_.substr(at + 2, name.size()), name)) {
      const std::string_view content = rest_.substr(0, at);
      rest_.remove_prefix(at);
      return content;
    }
  }
  return std::exchange(rest_, std::string_view{});
}

}  // namespace scaledcache::cache
