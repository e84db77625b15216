// How a warm-up finds its pages, and fetches them the first time.
#include <algorithm>
#include <iterator>
#include <utility>

#include "cache/assets.h"
#include "cache/paths.h"
#include "cache/sitemap.h"
#include "cache/warmup_run.h"
#include "http/ascii.h"

namespace scaledcache::cache {
namespace {

constexpr std::size_t kMaxSitemaps = 50;
constexpr std::size_t kMaxPageBytes = std::size_t{1} << 20;  // that are looked through for links
const http::Headers kPlain{};

bool is_of_type(const http::Headers& headers, std::string_view type) {
  const std::string_view value = http::find_header(headers, "content-type");
  return http::equal_ignoring_case(http::trim_blanks(value.substr(0, value.find(';'))), type);
}

bool is_encoded(const http::Headers& headers) {
  const std::string_view coding = http::find_header(headers, "content-encoding");
  return !coding.empty() && !http::equal_ignoring_case(coding, "identity");
}

bool has_links(const http::Headers& headers) {
  return is_of_type(headers, "text/html") || is_of_type(headers, "application/xhtml+xml") ||
         is_of_type(headers, "text/css");
}

}  // namespace

void WarmupRun::gather() {
  for (const std::string& path : plan_.paths) {
    add(path);
  }
  if (!plan_.sitemap.empty()) {
    read_sitemaps();
  } else if (!pages_.empty()) {
    fetch_page(pages_.front(), plan_.discover_assets);
  }
}

void WarmupRun::add(const std::string& path) {
  if (!known_.insert(path).second) {
    return;
  }
  const std::size_t variants = std::max<std::size_t>(plan_.variants.size(), 1);
  for (std::size_t i = 0; i < variants && pages_.size() < plan_.limits.urls; ++i) {
    pages_.push_back({.path = path, .variant = i});
    ++urls_;
  }
}

void WarmupRun::read_sitemaps() {
  bool is_index = false;
  const std::vector<std::string> entries = read_one_sitemap(plan_.sitemap, is_index);
  if (!is_index) {
    std::for_each(entries.begin(), entries.end(), [this](const std::string& path) { add(path); });
    return;
  }
  const std::size_t count = std::min(entries.size(), kMaxSitemaps);
  for (std::size_t i = 0; i < count && pages_.size() < plan_.limits.urls && !is_over(); ++i) {
    bool nested = false;  // an index of indexes is not followed
    const std::vector<std::string> inner = read_one_sitemap(entries[i], nested);
    if (!nested) {
      std::for_each(inner.begin(), inner.end(), [this](const std::string& path) { add(path); });
    }
  }
}

std::vector<std::string> WarmupRun::read_one_sitemap(const std::string& path, bool& is_index) {
  const auto turn = doors_.sitemaps == nullptr ? std::optional<OriginBudget::Ticket>()
                                               : doors_.sitemaps->take(over_.get_token());
  if (doors_.sitemaps != nullptr && !turn) {
    return {};
  }
  const std::optional<PodAnswer> answer =
      ask_patiently({.path = path, .headers = kPlain, .keep_body_bytes = kMaxSitemapBytes + 1});
  sitemap_failed_ = true;
  if (!answer) {
    return {};
  }
  if (!answer->ok() || is_encoded(answer->response.headers)) {
    note_trouble("the sitemap was answered with status " + std::to_string(answer->response.status) +
                 (answer->ok() ? ", encoded" : ""));
    return {};
  }
  Result<Sitemap> sitemap =
      read_sitemap(answer->response.body, host_name(plan_.door.host), plan_.limits.urls);
  if (!sitemap) {
    note_trouble(sitemap.error().message);
    return {};
  }
  sitemap_failed_ = false;
  is_index = sitemap->index;
  std::vector<std::string> paths;
  std::transform(sitemap->entries.begin(), sitemap->entries.end(), std::back_inserter(paths),
                 [](SitemapEntry& entry) { return std::move(entry.path); });
  return paths;
}

// Pages first, then what they need, then what the style sheets among that need.
void WarmupRun::fetch() {
  for (std::size_t first = 0, level = 0; first < pages_.size() && !is_over(); ++level) {
    const bool looking = plan_.discover_assets && level < 2;
    std::vector<Page*> pages = pages_from(first);
    std::erase_if(pages, [](const Page* page) { return page->fetched; });
    for_each(pages, [&](Page& page) { fetch_page(page, looking); });
    const std::size_t end = pages_.size();
    for (std::size_t i = first; i < end; ++i) {
      const std::vector<std::string> assets = std::move(pages_[i].assets);
      std::for_each(assets.begin(), assets.end(), [this](const std::string& path) { add(path); });
    }
    first = end;
  }
}

void WarmupRun::fetch_page(Page& page, bool look_for_assets) {
  const bool looking = look_for_assets && page.variant == 0;
  const PodQuestion question{.path = page.path,
                             .headers = headers_of(page),
                             .keep_body_bytes = looking ? kMaxPageBytes : 0};
  const std::optional<PodAnswer> answer =
      pod_->was_reached() ? ask_origin(question) : ask_patiently(question);
  if (!answer) {
    return;
  }
  page.fetched = true;
  page.first = answer->verdict;
  ++fetched_;
  if (!looking || !answer->ok() || !has_links(answer->response.headers)) {
    return;
  }
  if (!is_encoded(answer->response.headers)) {
    find_assets_of(page, *answer);
  } else if (const auto plain = ask_origin(
                 {.path = page.path, .headers = kPlain, .keep_body_bytes = kMaxPageBytes});
             plain && plain->ok() && !is_encoded(plain->response.headers)) {
    find_assets_of(page, *plain);
  }
}

void WarmupRun::find_assets_of(Page& page, const PodAnswer& answer) {
  const PageOrigin origin{.host_name = host_name(plan_.door.host), .path = page.path};
  if (is_of_type(answer.response.headers, "text/css")) {
    page.assets = find_css_assets(answer.response.body, origin);
    return;
  }
  page.assets = find_link_assets(answer.response.headers, origin);
  std::vector<std::string> named = find_assets(answer.response.body, origin);
  std::move(named.begin(), named.end(), std::back_inserter(page.assets));
}

}  // namespace scaledcache::cache
