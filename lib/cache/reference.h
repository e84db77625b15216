// Links as pages hold them: relative, absolute, of this site or another.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace scaledcache::cache {

// Where relative links start from.
struct LinkBase {
  std::string host_name;  // as host_name() gives it
  std::string path;       // of the page; its query does not matter
};

// `text` with the entities that stand in URLs replaced: amp, lt, gt, quot, apos, and numbers below
// 128. Others stay as they are.
[[nodiscard]] std::string decode_entities(std::string_view text);

// The cleaned path, with the query, that `link` leads to from `base`, where the host is still
// `host_name`; nothing for another host, another scheme than http and https, an empty link, one
// within the page, or one of more than 4096 bytes.
[[nodiscard]] std::optional<std::string> resolve_link(std::string_view link,
                                                      const LinkBase& base,
                                                      std::string_view host_name);

// Where `link` as the href of <base> moves the start of the others; `base` itself if it cannot.
[[nodiscard]] LinkBase move_base(std::string_view link, const LinkBase& base);

}  // namespace scaledcache::cache
