#include "cache/sitemap.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "cache/gunzip.h"
#include "cache/reference.h"

namespace scaledcache::cache {
namespace {

constexpr std::size_t kMaxEntries = 50'000;  // of the protocol

// The tags of an XML text one after the other, with the text before each. Knows no nesting.
class Tags {
 public:
  explicit Tags(std::string_view text) : rest_(text) {}

  // Goes to the next tag; false at the end, or at a tag without one.
  bool next() {
    text_.clear();
    while (true) {
      const std::size_t open = rest_.find('<');
      if (open == std::string_view::npos) {
        return false;
      }
      text_ += decode_entities(rest_.substr(0, open));
      rest_.remove_prefix(open);
      if (skip("<!--", "-->")) {
        continue;
      }
      if (const auto data = cut("<![CDATA[", "]]>")) {
        text_ += *data;
        continue;
      }
      const std::size_t close = rest_.find('>');
      if (close == std::string_view::npos) {
        return false;
      }
      tag_ = rest_.substr(1, close - 1);
      rest_.remove_prefix(close + 1);
      return true;
    }
  }

  // "url", "/url"; without attributes.
  [[nodiscard]] std::string_view name() const {
    return tag_.substr(0, tag_.find_first_of(" \t\r\n"));
  }

  // What stood between the tag before and this one.
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::optional<std::string_view> cut(std::string_view opening, std::string_view closing) {
    if (!rest_.starts_with(opening)) {
      return std::nullopt;
    }
    const std::size_t end = rest_.find(closing, opening.size());
    const bool open_ended = end == std::string_view::npos;
    const std::string_view inside =
        rest_.substr(opening.size(), open_ended ? end : end - opening.size());
    rest_.remove_prefix(open_ended ? rest_.size() : end + closing.size());
    return inside;
  }

  bool skip(std::string_view opening, std::string_view closing) {
    return cut(opening, closing).has_value();
  }

  std::string_view rest_;
  std::string_view tag_;
  std::string text_;
};

std::string_view trim(std::string_view text) {
  constexpr std::string_view kWhite = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kWhite);
  return first == std::string_view::npos
             ? std::string_view{}
             : text.substr(first, text.find_last_not_of(kWhite) - first + 1);
}

// Elements of extensions, such as image:loc, carry a prefix that the root has not.
class Reader {
 public:
  explicit Reader(std::string_view host_name) : base_{std::string(host_name), "/"} {}

  // False when the text is no sitemap.
  bool read(std::string_view text) {
    Tags tags(text);
    bool in_root = false;
    while (tags.next() && sitemap_.entries.size() < kMaxEntries) {
      if (in_root) {
        take(tags.name(), tags.text());
      } else if (is_root(tags.name())) {
        in_root = true;
      } else if (!tags.name().starts_with('?') && !tags.name().starts_with('!')) {
        return false;
      }
    }
    return in_root;
  }

  [[nodiscard]] Sitemap result() && { return std::move(sitemap_); }

 private:
  bool is_root(std::string_view name) {
    const std::size_t colon = name.find(':');
    const std::size_t length = colon == std::string_view::npos ? 0 : colon + 1;
    prefix_ = std::string(name.substr(0, length));
    sitemap_.index = name.substr(length) == "sitemapindex";
    return sitemap_.index || name.substr(length) == "urlset";
  }

  void take(std::string_view name, const std::string& text) {
    const bool closes = name.starts_with('/');
    name.remove_prefix(closes ? 1 : 0);
    if (!name.starts_with(prefix_)) {
      return;
    }
    name.remove_prefix(prefix_.size());
    const bool is_entry = name == (sitemap_.index ? "sitemap" : "url");
    if (is_entry && closes) {
      finish();
    } else if (is_entry) {
      location_.clear();
      last_modified_.clear();
    } else if (closes && name == "loc") {
      location_ = trim(text);
    } else if (closes && name == "lastmod") {
      last_modified_ = trim(text);
    }
  }

  void finish() {
    if (location_.empty()) {
      return;
    }
    if (auto path = resolve_link(location_, base_, base_.host_name)) {
      sitemap_.entries.push_back({std::move(*path), std::move(last_modified_)});
    } else {
      ++sitemap_.foreign;
    }
    location_.clear();
    last_modified_.clear();
  }

  const LinkBase base_;
  Sitemap sitemap_;
  std::string prefix_;
  std::string location_;
  std::string last_modified_;
};

}  // namespace

Result<Sitemap> read_sitemap(std::string_view bytes, std::string_view host_name, std::size_t cap) {
  std::string inflated;
  if (is_gzip(bytes)) {
    Result<std::string> content = gunzip(bytes, kMaxSitemapBytes);
    if (!content) {
      return content.error();
    }
    inflated = std::move(*content);
    bytes = inflated;
  }
  if (bytes.size() > kMaxSitemapBytes) {
    return Error{ErrorCode::Protocol, "the sitemap holds more than it may"};
  }
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  bytes.remove_prefix(bytes.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  Reader reader(host_name);
  if (!reader.read(bytes)) {
    return Error{ErrorCode::Protocol, "the answer is no sitemap"};
  }
  Sitemap sitemap = std::move(reader).result();
  // ISO 8601 sorts as text, and "" sorts before any date.
  std::stable_sort(sitemap.entries.begin(), sitemap.entries.end(),
                   [](const SitemapEntry& a, const SitemapEntry& b) {
                     return a.last_modified > b.last_modified;
                   });
  sitemap.entries.resize(std::min(sitemap.entries.size(), cap));
  return sitemap;
}

}  // namespace scaledcache::cache
