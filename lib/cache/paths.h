// The lists of pages that people write: in a resource, or a ConfigMap's text made from access logs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scaledcache::cache {

inline constexpr std::size_t kMaxPathBytes = 2'048;

// `path` as it may stand in a request line: without a fragment, with what no URL may hold
// percent-encoded. Nothing when it does not begin with '/', begins with "//", holds a control
// character or passes kMaxPathBytes.
[[nodiscard]] std::optional<std::string> clean_path(std::string_view path);

struct CleanPaths {
  std::vector<std::string> paths;  // in order, each once
  std::size_t refused = 0;         // lines that are no path
  bool cut = false;                // there were more than the cap
};

// Each of `lines` trimmed and cleaned; empty lines and those that begin with '#' are comments.
[[nodiscard]] CleanPaths clean_paths(const std::vector<std::string>& lines, std::size_t cap);

// The same for a text of one path per line.
[[nodiscard]] CleanPaths clean_path_text(std::string_view text, std::size_t cap);

}  // namespace scaledcache::cache
