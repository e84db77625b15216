#include "cache/assets.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <unordered_set>
#include <utility>

#include "cache/html_tags.h"
#include "cache/reference.h"
#include "http/ascii.h"

namespace scaledcache::cache {
namespace {

using http::equal_ignoring_case;

constexpr std::string_view kWhite = " \t\r\n\f";

// Takes links as they are found and keeps those of the same host, each once.
class Collector {
 public:
  explicit Collector(const PageOrigin& origin)
      : host_name_(origin.host_name), cap_(origin.cap), base_{origin.host_name, origin.path} {}

  void move_to(std::string_view href) { base_ = move_base(href, base_); }

  void take(std::string_view link) {
    if (paths_.size() >= cap_) {
      return;
    }
    auto path = resolve_link(link, base_, host_name_);
    if (path && seen_.insert(*path).second) {
      paths_.push_back(std::move(*path));
    }
  }

  // "a.jpg 1x, b.jpg 2x": a link runs to the next white space, for it may hold commas.
  void take_set(std::string_view set) {
    while (true) {
      const std::size_t begin = set.find_first_not_of(" \t\r\n\f,");
      if (begin == std::string_view::npos) {
        return;
      }
      set.remove_prefix(begin);
      std::string_view link = set.substr(0, set.find_first_of(kWhite));
      set.remove_prefix(link.size());
      if (link.ends_with(',')) {
        link = link.substr(0, link.find_last_not_of(',') + 1);
      } else {
        set.remove_prefix(std::min(set.size(), set.find(',')));
      }
      take(link);
    }
  }

  void take_css(std::string_view css);

  [[nodiscard]] std::vector<std::string> result() && { return std::move(paths_); }

 private:
  const std::string host_name_;
  const std::size_t cap_;
  LinkBase base_;
  std::vector<std::string> paths_;
  std::unordered_set<std::string> seen_;
};

std::string_view skip_white(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kWhite);
  return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

// Takes the link at the beginning of `css` off it, quoted or, inside url(), bare. What was taken is
// not looked at again: a style sheet of nothing but openings is read in one pass.
std::string_view take_css_link(std::string_view& css, bool bare_allowed) {
  css = skip_white(css);
  const bool double_quoted = css.starts_with('"');
  if (double_quoted || css.starts_with('\'')) {
    css.remove_prefix(1);
    const std::size_t end = css.find_first_of(double_quoted ? "\"\r\n\f" : "'\r\n\f");
    const std::string_view link = css.substr(0, end);
    css.remove_prefix(link.size());
    // A string ends with its line, and without its quote it is none.
    return css.starts_with(double_quoted ? '"' : '\'') ? link : std::string_view{};
  }
  const std::string_view link =
      bare_allowed ? css.substr(0, css.find_first_of(") \t\r\n\f")) : std::string_view{};
  css.remove_prefix(link.size());
  return link;
}

void Collector::take_css(std::string_view css) {
  constexpr std::string_view kUrl = "url(";
  constexpr std::string_view kImport = "@import";
  while (!css.empty()) {
    if (css.starts_with("/*")) {
      const std::size_t end = css.find("*/", 2);
      css.remove_prefix(end == std::string_view::npos ? css.size() : end + 2);
    } else if (equal_ignoring_case(css.substr(0, kUrl.size()), kUrl)) {
      css.remove_prefix(kUrl.size());
      take(take_css_link(css, true));
    } else if (equal_ignoring_case(css.substr(0, kImport.size()), kImport)) {
      css.remove_prefix(kImport.size());
      take(take_css_link(css, false));  // in its other form it is a url()
    } else {
      const std::size_t next = css.find_first_of("/uU@", 1);
      css.remove_prefix(std::min(css.size(), next));
    }
  }
}

bool has_word(std::string_view list, std::initializer_list<std::string_view> words) {
  while (!list.empty()) {
    list = skip_white(list);
    const std::string_view word = list.substr(0, list.find_first_of(kWhite));
    list.remove_prefix(word.size());
    if (std::any_of(words.begin(), words.end(),
                    [&](std::string_view one) { return equal_ignoring_case(one, word); })) {
      return true;
    }
  }
  return false;
}

void take_tag(const HtmlTag& tag, Collector& found) {
  if (tag.name == "base") {
    found.move_to(tag.attribute("href"));
  } else if (tag.name == "script") {
    found.take(tag.attribute("src"));
  } else if (tag.name == "img" || tag.name == "source") {
    found.take(tag.attribute("src"));
    found.take_set(tag.attribute("srcset"));
  } else if (tag.name == "link" &&
             has_word(tag.attribute("rel"), {"stylesheet", "icon", "apple-touch-icon", "preload",
                                             "modulepreload", "manifest"})) {
    found.take(tag.attribute("href"));
    found.take_set(tag.attribute("imagesrcset"));
  } else if (tag.name == "style") {
    found.take_css(tag.content);
  }
  found.take_css(tag.attribute("style"));
}

// The value of a parameter of a Link header's member, such as rel="preload".
std::string_view link_parameter(std::string_view member, std::string_view name) {
  while (!member.empty()) {
    const std::size_t semicolon = member.find(';');
    if (semicolon == std::string_view::npos) {
      return {};
    }
    member = skip_white(member.substr(semicolon + 1));
    const std::string_view pair = member.substr(0, member.find(';'));
    const std::size_t equals = pair.find('=');
    if (equals != std::string_view::npos &&
        equal_ignoring_case(http::trim_blanks(pair.substr(0, equals)), name)) {
      std::string_view value = http::trim_blanks(pair.substr(equals + 1));
      const bool quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
      return quoted ? value.substr(1, value.size() - 2) : value;
    }
  }
  return {};
}

}  // namespace

std::vector<std::string> find_assets(std::string_view page, const PageOrigin& origin) {
  Collector found(origin);
  HtmlTags tags(page);
  while (const std::optional<HtmlTag> tag = tags.next()) {
    take_tag(*tag, found);
  }
  return std::move(found).result();
}

std::vector<std::string> find_css_assets(std::string_view css, const PageOrigin& origin) {
  Collector found(origin);
  found.take_css(css);
  return std::move(found).result();
}

std::vector<std::string> find_link_assets(const http::Headers& headers, const PageOrigin& origin) {
  Collector found(origin);
  for (const http::Header& header : headers) {
    if (!equal_ignoring_case(header.name, "link")) {
      continue;
    }
    std::string_view rest = header.value;
    for (std::size_t open = 0; (open = rest.find('<')) != std::string_view::npos;) {
      const std::size_t close = rest.find('>', open);
      if (close == std::string_view::npos) {
        break;
      }
      const std::string_view link = rest.substr(open + 1, close - open - 1);
      rest.remove_prefix(close + 1);
      std::string_view member = rest.substr(0, rest.find('<'));
      member = member.substr(0, member.find_last_not_of(" \t,") + 1);
      if (has_word(link_parameter(member, "rel"), {"preload", "modulepreload", "stylesheet"})) {
        found.take(link);
      }
    }
  }
  return std::move(found).result();
}

}  // namespace scaledcache::cache
