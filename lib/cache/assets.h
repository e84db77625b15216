// What a page needs to be shown: style sheets, scripts, images, fonts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "http/transport.h"

namespace scaledcache::cache {

// Where a page was found, and how much to take from it.
struct PageOrigin {
  std::string host_name;
  std::string path;  // of the page, with its query
  std::size_t cap = 500;
};

// The paths that `page` names in link, script, img and source (src, srcset, href of style sheets,
// icons, preloads and manifests) and in url() of style elements and attributes, of the same host,
// each once, in order. Comments are skipped. Follows <base href>. Takes broken HTML as it comes.
[[nodiscard]] std::vector<std::string> find_assets(std::string_view page, const PageOrigin& origin);

// The same for a style sheet: url() and @import.
[[nodiscard]] std::vector<std::string> find_css_assets(std::string_view css,
                                                       const PageOrigin& origin);

// The same for the Link headers of an answer: rel preload, modulepreload and stylesheet.
[[nodiscard]] std::vector<std::string> find_link_assets(const http::Headers& headers,
                                                        const PageOrigin& origin);

}  // namespace scaledcache::cache
