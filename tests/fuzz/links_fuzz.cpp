// Any bytes at all as a page, a style sheet, a Link header and a list of paths: what is found in
// them are clean paths, each once and no more than were wanted.
#include <string>
#include <unordered_set>
#include <vector>

#include "cache/assets.h"
#include "cache/paths.h"

#include "fuzz/require.h"

namespace scaledcache::cache {
namespace {

using fuzz::require;

constexpr std::size_t kCap = 5;

void require_paths(const std::vector<std::string>& paths) {
  require(paths.size() <= kCap);
  const std::unordered_set<std::string> different(paths.begin(), paths.end());
  require(different.size() == paths.size());
  for (const std::string& path : paths) {
    require(path.size() <= kMaxPathBytes);
    require(path.find_first_of("\r\n #\"<>") == std::string::npos);
    require(clean_path(path) == path);
  }
}

void read(std::string_view text) {
  const PageOrigin origin{.host_name = "www.test", .path = "/p/q?r=/s", .cap = kCap};
  require_paths(find_assets(text, origin));
  require_paths(find_css_assets(text, origin));
  require_paths(find_link_assets({{"Link", std::string(text)}}, origin));
  require_paths(clean_path_text(text, kCap).paths);
  // A pod chooses the path of its pages by its sitemap.
  if (auto path = clean_path(text.substr(0, text.find('\n')))) {
    require_paths(find_assets(text, {.host_name = "www.test", .path = *path, .cap = kCap}));
  }
}

}  // namespace
}  // namespace scaledcache::cache

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  scaledcache::cache::read(scaledcache::fuzz::text_of(data, size));
  return 0;
}
