#include "cache/hit.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cache/cache_status.h"
#include "cache/hit_words.h"
#include "http/ascii.h"

namespace scaledcache::cache {
namespace {

using http::equal_ignoring_case;
using http::Headers;
using http::trim_blanks;

// Nothing: the header is not there, or says nothing that can be read.
using Judgement = std::optional<HitVerdict>;

// The values of `name` in the order in which they came: later ones were added nearer to the client.
std::vector<std::string_view> values_of(const Headers& headers, std::string_view name) {
  std::vector<std::string_view> values;
  for (const http::Header& header : headers) {
    if (equal_ignoring_case(header.name, name)) {
      values.push_back(header.value);
    }
  }
  return values;
}

std::string_view last_value(const Headers& headers, std::string_view name) {
  const std::vector<std::string_view> values = values_of(headers, name);
  return values.empty() ? std::string_view{} : trim_blanks(values.back());
}

std::string_view first_word(std::string_view text) {
  return text.substr(0, text.find_first_of(" \t;"));
}

// The last element of a list without quoted strings.
std::string_view last_element(std::string_view list) {
  const std::size_t comma = list.rfind(',');
  return trim_blanks(comma == std::string_view::npos ? list : list.substr(comma + 1));
}

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole ? std::optional<std::uint64_t>(number) : std::nullopt;
}

// "HIT", "HIT from cache.example", "MISS, HIT" (a list per tier), "hit-stale".
Judgement judge_words(std::string_view value) {
  return verdict_of_word(first_word(last_element(value)));
}

Judgement judge_cache_status(const Headers& headers) {
  const std::optional<CacheStatus> last = last_cache_status(values_of(headers, "cache-status"));
  if (!last) {
    return std::nullopt;
  }
  if (last->hit) {
    return last->ttl.value_or(0) < 0 ? HitVerdict::StaleHit : HitVerdict::Hit;
  }
  if (last->fwd == "bypass" || last->fwd == "method") {
    return HitVerdict::Uncacheable;
  }
  if (last->fwd == "stale" && last->fwd_status == 304) {
    return HitVerdict::StaleHit;
  }
  // Squid with delay pools names neither for a plain miss.
  return HitVerdict::Miss;
}

// A delivery network in front of the origin marks what it delivers, and the mark is stored with it.
bool is_from_delivery_network(const Headers& headers, std::string_view value) {
  const std::string text = http::to_lower(value);
  return text.find("from cloudfront") != std::string::npos ||
         text.find("akamaighost") != std::string::npos ||
         (!last_value(headers, "x-timer").empty() &&
          last_value(headers, "x-served-by").starts_with("cache-"));  // Fastly
}

Judgement judge_x_cache(const Headers& headers) {
  const std::string_view value = last_value(headers, "x-cache");
  return is_from_delivery_network(headers, value) ? Judgement{} : judge_words(value);
}

// One number is the transaction of this request, a second one that of the fetch which stored the
// object. Chained Varnishes leave a line each.
Judgement judge_x_varnish(const Headers& headers) {
  const std::string_view value = last_element(last_value(headers, "x-varnish"));
  const std::size_t gap = value.find_first_of(" \t");
  if (gap == std::string_view::npos) {
    return number_in(value) ? Judgement{HitVerdict::Miss} : std::nullopt;
  }
  const std::string_view second = trim_blanks(value.substr(gap));
  return number_in(value.substr(0, gap)) && number_in(second) ? Judgement{HitVerdict::Hit}
                                                              : std::nullopt;
}

// Traffic Server's codes: pairs of a small letter and a code, "[cHs f ]" or, with all details,
// "[uScRs f p eN:t cCHi p sS]". The pair c is the cache's lookup, s the answer of the server.
Judgement judge_via(const Headers& headers) {
  const std::string_view value = last_element(last_value(headers, "via"));
  const std::size_t open = value.rfind('[');
  const std::size_t close = value.rfind(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return std::nullopt;
  }
  const std::string_view codes = value.substr(open + 1, close - open - 1);
  char lookup = '\0';
  char server = ' ';
  for (std::size_t i = 0; i + 1 < codes.size() && codes[i] != ':'; i += 2) {
    if (codes[i] == 'c') {
      lookup = codes[i + 1];
    } else if (codes[i] == 's') {
      server = codes[i + 1];
    }
  }
  switch (lookup) {
    case 'H':
    case 'R':
      return HitVerdict::Hit;
    case 'S':
      return server == 'S' ? HitVerdict::Miss : HitVerdict::StaleHit;
    case 'M':
    case 'A':
      return HitVerdict::Miss;
    default:
      return std::nullopt;
  }
}

// Weak: a hit in the first second says 0 as well, so does a miss of some caches, and the Age that
// the origin sent is carried on.
Judgement judge_age(const Headers& headers) {
  const std::optional<std::uint64_t> age = number_in(last_value(headers, "age"));
  if (!age) {
    return std::nullopt;
  }
  return *age > 0 ? HitVerdict::Hit : HitVerdict::Miss;
}

// A header of the user's own making: words, true or false, or a count of hits.
Judgement judge_plainly(std::string_view value) {
  if (const Judgement words = judge_words(value)) {
    return words;
  }
  const std::string_view last = last_element(value);
  if (equal_ignoring_case(last, "true") || equal_ignoring_case(last, "yes")) {
    return HitVerdict::Hit;
  }
  if (equal_ignoring_case(last, "false") || equal_ignoring_case(last, "no")) {
    return HitVerdict::Miss;
  }
  if (const auto hits = number_in(last)) {
    return *hits > 0 ? HitVerdict::Hit : HitVerdict::Miss;
  }
  return std::nullopt;
}

Judgement judge_named(const Headers& headers, std::string_view name) {
  struct Dialect {
    std::string_view name;
    Judgement (*judge)(const Headers&);
  };

  constexpr std::array kDialects{Dialect{"cache-status", judge_cache_status},
                                 Dialect{"x-varnish", judge_x_varnish}, Dialect{"via", judge_via},
                                 Dialect{"age", judge_age}};
  if (name.empty()) {
    return std::nullopt;
  }
  for (const Dialect& dialect : kDialects) {
    if (equal_ignoring_case(dialect.name, name)) {
      return dialect.judge(headers);
    }
  }
  return judge_plainly(last_value(headers, name));
}

// In the order of how far each can be trusted.
Judgement judge_evidence(const Headers& headers, std::string_view named_header) {
  if (const Judgement named = judge_named(headers, named_header)) {
    return named;
  }
  if (const Judgement status = judge_cache_status(headers)) {
    return status;
  }
  if (const Judgement words = judge_words(last_value(headers, "x-cache-status"))) {
    return words;
  }
  if (const Judgement words = judge_x_cache(headers)) {
    return words;
  }
  if (const Judgement pair = judge_x_varnish(headers)) {
    return pair;
  }
  if (const Judgement codes = judge_via(headers)) {
    return codes;
  }
  return judge_age(headers);
}

bool has_directive(const Headers& headers, std::string_view directive) {
  for (std::string_view rest : values_of(headers, "cache-control")) {
    while (!rest.empty()) {
      const std::string_view element = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), element.size() + 1));
      const std::string_view name = trim_blanks(element.substr(0, element.find('=')));
      if (equal_ignoring_case(name, directive)) {
        return true;
      }
    }
  }
  return false;
}

bool forbids_caching(const Headers& headers) {
  const auto varies = values_of(headers, "vary");
  return has_directive(headers, "private") || has_directive(headers, "no-store") ||
         !values_of(headers, "set-cookie").empty() ||
         std::any_of(varies.begin(), varies.end(),
                     [](std::string_view value) { return trim_blanks(value) == "*"; });
}

}  // namespace

std::string_view name_of(HitVerdict verdict) {
  switch (verdict) {
    case HitVerdict::Hit:
      return "Hit";
    case HitVerdict::StaleHit:
      return "StaleHit";
    case HitVerdict::Miss:
      return "Miss";
    case HitVerdict::Uncacheable:
      return "Uncacheable";
    case HitVerdict::Unknown:
      return "Unknown";
  }
  return "Unknown";
}

HitVerdict judge_hit(const Headers& headers, std::string_view named_header) {
  const HitVerdict verdict = judge_evidence(headers, named_header).value_or(HitVerdict::Unknown);
  return !is_hit(verdict) && forbids_caching(headers) ? HitVerdict::Uncacheable : verdict;
}

}  // namespace scaledcache::cache
