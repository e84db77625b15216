// Any bytes at all as a sitemap and as a file in gzip: entries are clean paths, the newest first,
// and nothing inflates to more than was allowed.
#include <string>

#include "cache/gunzip.h"
#include "cache/gzip.h"
#include "cache/paths.h"
#include "cache/sitemap.h"

#include "fuzz/require.h"

namespace scaledcache::cache {
namespace {

using fuzz::require;

constexpr std::size_t kCap = 5;

void require_sitemap(const Result<Sitemap>& sitemap) {
  if (!sitemap) {
    require(sitemap.error().code == ErrorCode::Protocol);
    return;
  }
  require(sitemap->entries.size() <= kCap);
  for (std::size_t i = 0; i < sitemap->entries.size(); ++i) {
    const SitemapEntry& entry = sitemap->entries[i];
    require(clean_path(entry.path) == entry.path);
    require(i == 0 || sitemap->entries[i - 1].last_modified >= entry.last_modified);
  }
}

void require_same(const Result<Sitemap>& one, const Result<Sitemap>& other) {
  require(one.has_value() == other.has_value());
  require(!one || (one->index == other->index && one->foreign == other->foreign &&
                   one->entries.size() == other->entries.size()));
}

void read(std::string_view text) {
  const Result<Sitemap> plain = read_sitemap(text, "www.test", kCap);
  require_sitemap(plain);
  const Result<std::string> inflated = gunzip(text, 1'000);
  require(!inflated || inflated->size() <= 1'000);

  std::string zipped = support::gzip(text);
  const Result<std::string> whole = gunzip(zipped, text.size());
  require(whole && *whole == text);
  require(text.empty() || !gunzip(zipped, text.size() - 1));
  if (!is_gzip(text)) {
    require_same(plain, read_sitemap(zipped, "www.test", kCap));
  }
  // With one byte of it spoilt, which zlib must notice or bear.
  const std::size_t place = text.empty() ? 0 : static_cast<unsigned char>(text.front());
  zipped[place % zipped.size()] ^= 0x11;
  require_sitemap(read_sitemap(zipped, "www.test", kCap));
  (void)gunzip(zipped.substr(0, zipped.size() - place % zipped.size()), text.size());
}

}  // namespace
}  // namespace scaledcache::cache

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  scaledcache::cache::read(scaledcache::fuzz::text_of(data, size));
  return 0;
}
