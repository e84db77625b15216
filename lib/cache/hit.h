// Whether an answer came out of the cache that was asked, told from its headers alone: the dialects
// of Varnish, nginx, Squid, Traffic Server, HAProxy, Envoy and of RFC 9211.
#pragma once

#include <string_view>

#include "http/transport.h"

namespace scaledcache::cache {

enum class HitVerdict {
  Hit,
  StaleHit,     // from the cache although it had expired, or after the origin confirmed it
  Miss,         // from the origin
  Uncacheable,  // from the origin, and it will be so every time
  Unknown,      // no header says it
};

[[nodiscard]] std::string_view name_of(HitVerdict verdict);

[[nodiscard]] constexpr bool is_hit(HitVerdict verdict) {
  return verdict == HitVerdict::Hit || verdict == HitVerdict::StaleHit;
}

// The first of these that is there and can be read decides: `named_header` (none when empty),
// Cache-Status, X-Cache-Status, X-Cache, X-Varnish, the codes that Traffic Server puts into Via,
// Age. Where several caches have left their mark the one nearest to the client counts. What a
// content delivery network in front of the origin has left is not evidence. An answer that is no
// hit and says private, no-store, Set-Cookie or Vary: * is Uncacheable. `named_header` may be one
// of the above, or hold words (hit, miss, stale, pass…), true or false, or a number of hits.
// A first answer may be judged as well, but only that to a repeated request proves anything.
[[nodiscard]] HitVerdict judge_hit(const http::Headers& headers,
                                   std::string_view named_header = {});

}  // namespace scaledcache::cache
