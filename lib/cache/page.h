// One URL of a warm-up, with one set of request headers, and what became of it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "cache/hit.h"
#include "cache/pod_client.h"

namespace scaledcache::cache {

enum class PageOutcome { Pending, Hit, StaleHit, Miss, Uncacheable, Unknown, Error };

struct Page {
  std::string path;
  std::size_t variant = 0;

  bool fetched = false;
  HitVerdict first = HitVerdict::Unknown;  // of the first answer
  std::vector<std::string> assets{};       // paths of what it needs, where they are looked for

  PageOutcome outcome = PageOutcome::Pending;
  bool short_lived = false;  // expires within a minute: not to be probed with

  [[nodiscard]] bool is_proved() const {
    return outcome == PageOutcome::Hit || outcome == PageOutcome::StaleHit;
  }

  // Asked again, it may become a hit.
  [[nodiscard]] bool is_open() const {
    return outcome == PageOutcome::Miss || outcome == PageOutcome::Error;
  }
};

// What the answer to a repeated request says of its page. An answer that is neither a page nor a
// failure, such as a redirect or 404, counts only when the cache keeps it.
[[nodiscard]] PageOutcome outcome_of(const PodAnswer& answer);

// The answer sends visitors to the same path under another scheme or host: what they would see is
// not what is being warmed.
[[nodiscard]] bool redirects_elsewhere(const PodAnswer& answer, std::string_view path);

// By Cache-Control: fresh for less than a minute.
[[nodiscard]] bool is_short_lived(const http::Headers& headers);

// How long a shared cache may keep the answer, from its fetch on, and how long ago that was;
// nothing where no header says.
[[nodiscard]] std::optional<Milliseconds> fresh_for(const http::Headers& headers);
[[nodiscard]] std::optional<Milliseconds> age_of(const http::Headers& headers);

// The pod's answer cannot be of the same page as the warm peer's: another status, or a body of less
// than half or more than double its length. Pages may change a little between two requests.
[[nodiscard]] bool differs(const PodAnswer& pod, const PodAnswer& peer);

}  // namespace scaledcache::cache
