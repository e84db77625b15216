// Sitemaps (sitemaps.org): which pages a site has, and which are new.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace scaledcache::cache {

inline constexpr std::size_t kMaxSitemapBytes = std::size_t{10} << 20;  // as sent, and inflated

struct SitemapEntry {
  std::string path;           // with the query, cleaned
  std::string last_modified;  // as written, an ISO 8601 date or time; "": unknown
};

struct Sitemap {
  bool index = false;                 // its entries are sitemaps
  std::vector<SitemapEntry> entries;  // the newest first, those without a date last, in order
  std::size_t foreign = 0;            // entries of other hosts, left out
};

// Reads a urlset or a sitemapindex, plain or, as its first bytes tell, in gzip. At most `cap`
// entries, the newest. Only those of `host_name` (as host_name() gives it) count. Protocol when it
// is neither, is broken gzip or passes kMaxSitemapBytes; never throws.
[[nodiscard]] Result<Sitemap> read_sitemap(std::string_view bytes,
                                           std::string_view host_name,
                                           std::size_t cap);

}  // namespace scaledcache::cache
