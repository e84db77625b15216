#include "cache/paths.h"

#include <algorithm>
#include <unordered_set>

namespace scaledcache::cache {
namespace {

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == '\x7f';
}

// What RFC 3986 allows nowhere in a path or a query. '%' stands for what is encoded already.
bool needs_encoding(char c) {
  constexpr std::string_view kNever = " \"<>\\^`{|}";
  return static_cast<unsigned char>(c) >= 0x80 || kNever.find(c) != std::string_view::npos;
}

std::string encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (needs_encoding(c)) {
      const unsigned byte = static_cast<unsigned char>(c);
      out += {'%', kDigits[byte >> 4U], kDigits[byte & 0xFU]};
    } else {
      out += c;
    }
  }
  return out;
}

std::string_view trim(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = line.find_first_not_of(kBlanks);
  return first == std::string_view::npos
             ? std::string_view{}
             : line.substr(first, line.find_last_not_of(kBlanks) - first + 1);
}

class Cleaner {
 public:
  explicit Cleaner(std::size_t cap) : cap_(cap) {}

  void take(std::string_view line) {
    line = trim(line);
    if (line.empty() || line.front() == '#') {
      return;
    }
    std::optional<std::string> path = clean_path(line);
    if (!path) {
      ++result_.refused;
    } else if (seen_.contains(*path)) {
      return;
    } else if (result_.paths.size() >= cap_) {
      result_.cut = true;
    } else {
      seen_.insert(*path);
      result_.paths.push_back(std::move(*path));
    }
  }

  [[nodiscard]] CleanPaths result() && { return std::move(result_); }

 private:
  const std::size_t cap_;
  CleanPaths result_;
  std::unordered_set<std::string> seen_;
};

}  // namespace

std::optional<std::string> clean_path(std::string_view path) {
  path = path.substr(0, path.find('#'));
  if (path.empty() || path.front() != '/' || path.starts_with("//") ||
      path.size() > kMaxPathBytes || std::any_of(path.begin(), path.end(), is_control)) {
    return std::nullopt;
  }
  std::string clean = encoded(path);
  return clean.size() <= kMaxPathBytes ? std::optional(std::move(clean)) : std::nullopt;
}

CleanPaths clean_paths(const std::vector<std::string>& lines, std::size_t cap) {
  Cleaner cleaner(cap);
  for (const std::string& line : lines) {
    cleaner.take(line);
  }
  return std::move(cleaner).result();
}

CleanPaths clean_path_text(std::string_view text, std::size_t cap) {
  Cleaner cleaner(cap);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    cleaner.take(line);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return std::move(cleaner).result();
}

}  // namespace scaledcache::cache
