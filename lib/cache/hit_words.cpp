#include "cache/hit_words.h"

#include <algorithm>
#include <array>

#include "http/ascii.h"

namespace scaledcache::cache {
namespace {

struct Word {
  std::string_view text;
  HitVerdict verdict;
};

constexpr std::array kWords{
    Word{"hit", HitVerdict::Hit},
    Word{"cached", HitVerdict::Hit},
    Word{"hit-fresh", HitVerdict::Hit},
    Word{"tcp_hit", HitVerdict::Hit},
    Word{"tcp_mem_hit", HitVerdict::Hit},
    Word{"tcp_ims_hit", HitVerdict::Hit},
    Word{"stale", HitVerdict::StaleHit},
    Word{"hit-stale", HitVerdict::StaleHit},
    Word{"updating", HitVerdict::StaleHit},
    Word{"grace", HitVerdict::StaleHit},
    Word{"revalidate", HitVerdict::StaleHit},
    Word{"revalidated", HitVerdict::StaleHit},
    Word{"refreshhit", HitVerdict::StaleHit},
    Word{"tcp_refresh_hit", HitVerdict::StaleHit},
    Word{"tcp_refresh_unmodified", HitVerdict::StaleHit},
    Word{"miss", HitVerdict::Miss},
    Word{"expired", HitVerdict::Miss},
    Word{"scarce", HitVerdict::Miss},
    Word{"none", HitVerdict::Miss},
    Word{"refreshmiss", HitVerdict::Miss},
    Word{"tcp_miss", HitVerdict::Miss},
    Word{"tcp_refresh_miss", HitVerdict::Miss},
    Word{"tcp_expired_miss", HitVerdict::Miss},
    Word{"pass", HitVerdict::Uncacheable},
    Word{"hitpass", HitVerdict::Uncacheable},
    Word{"hit-for-pass", HitVerdict::Uncacheable},
    Word{"hitmiss", HitVerdict::Uncacheable},
    Word{"hit-for-miss", HitVerdict::Uncacheable},
    Word{"bypass", HitVerdict::Uncacheable},
    Word{"skipped", HitVerdict::Uncacheable},
    Word{"dynamic", HitVerdict::Uncacheable},
    Word{"uncacheable", HitVerdict::Uncacheable},
};

}  // namespace

std::optional<HitVerdict> verdict_of_word(std::string_view word) {
  const auto* found = std::find_if(kWords.begin(), kWords.end(), [&](const Word& known) {
    return http::equal_ignoring_case(known.text, word);
  });
  return found == kWords.end() ? std::nullopt : std::optional(found->verdict);
}

}  // namespace scaledcache::cache
