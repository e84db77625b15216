#include "cache/hit.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace scaledcache::cache {
namespace {

struct Row {
  const char* name;
  http::Headers headers;
  HitVerdict want;
  const char* named_header = "";
};

void check_rows(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      CHECK(name_of(judge_hit(row.headers, row.named_header)) == name_of(row.want));
    }
  }
}

constexpr auto kHit = HitVerdict::Hit;
constexpr auto kStale = HitVerdict::StaleHit;
constexpr auto kMiss = HitVerdict::Miss;
constexpr auto kUncacheable = HitVerdict::Uncacheable;
constexpr auto kUnknown = HitVerdict::Unknown;

TEST_CASE("Varnish is judged by the numbers of X-Varnish") {
  check_rows({
      {"one number", {{"X-Varnish", "32770"}, {"Age", "0"}}, kMiss},
      {"two numbers, in the first second", {{"X-Varnish", "32772 5"}, {"Age", "0"}}, kHit},
      {"one number, with the Age of the origin", {{"X-Varnish", "32770"}, {"Age", "300"}}, kMiss},
      {"chained: the last line counts", {{"X-Varnish", "10 5"}, {"X-Varnish", "32770"}}, kMiss},
      {"chained: a hit at the near one", {{"X-Varnish", "10"}, {"X-Varnish", "32772 5"}}, kHit},
      {"chained in one line", {{"X-Varnish", "10, 32772 5"}}, kHit},
      {"not numbers, no evidence", {{"X-Varnish", "on"}}, kUnknown},
      {"a convention of VCL goes first", {{"X-Varnish", "32772 5"}, {"X-Cache", "MISS"}}, kMiss},
  });
}

TEST_CASE("nginx is judged by X-Cache-Status") {
  check_rows({
      {"MISS", {{"X-Cache-Status", "MISS"}}, kMiss},
      {"EXPIRED", {{"X-Cache-Status", "EXPIRED"}}, kMiss},
      {"SCARCE", {{"X-Cache-Status", "SCARCE"}}, kMiss},
      {"BYPASS", {{"X-Cache-Status", "BYPASS"}}, kUncacheable},
      {"HIT", {{"X-Cache-Status", "HIT"}}, kHit},
      {"REVALIDATED", {{"X-Cache-Status", "REVALIDATED"}}, kStale},
      {"STALE", {{"X-Cache-Status", "STALE"}}, kStale},
      {"UPDATING", {{"X-Cache-Status", "UPDATING"}}, kStale},
      {"empty, as without proxy_cache", {{"X-Cache-Status", ""}}, kUnknown},
      {"it goes before X-Cache", {{"X-Cache", "MISS"}, {"X-Cache-Status", "HIT"}}, kHit},
  });
}

TEST_CASE("Squid is judged by Cache-Status, before 6 by X-Cache") {
  check_rows({
      {"hit", {{"Cache-Status", "squid.test;hit"}}, kHit},
      {"hit with detail", {{"Cache-Status", "squid.test;hit;detail=match"}}, kHit},
      {"miss", {{"Cache-Status", "squid.test;fwd=miss;detail=mismatch"}}, kMiss},
      {"stale, fetched anew", {{"Cache-Status", "squid.test;fwd=stale;detail=match"}}, kMiss},
      {"with delay pools a miss says neither",
       {{"Cache-Status", "squid.test;detail=mismatch"}},
       kMiss},
      {"5: hit",
       {{"X-Cache", "HIT from squid.test"}, {"X-Cache-Lookup", "HIT from squid.test:80"}},
       kHit},
      {"5: found but not usable",
       {{"X-Cache", "MISS from squid.test"}, {"X-Cache-Lookup", "HIT from squid.test:3128"}},
       kMiss},
      {"the lookup alone is no evidence", {{"X-Cache-Lookup", "HIT from squid.test:80"}}, kUnknown},
  });
}

TEST_CASE("Traffic Server is judged by the codes in Via, or by its xdebug plugin") {
  const auto via = [](const char* codes) {
    return http::Headers{
        {"Via", std::string("http/1.1 a (ApacheTrafficServer/9.2.9 [") + codes + "])"},
        {"Age", "100"}};
  };
  check_rows({
      {"fresh", via("cHs f "), kHit},
      {"fresh in memory", via("cRs f "), kHit},
      {"stale, confirmed by the origin", via("cSsNfU"), kStale},
      {"stale, served as it was", via("cSs f "), kStale},
      {"stale, and the origin sent another", via("cSsSfU"), kMiss},
      {"miss", via("cMsSfW"), kMiss},
      {"not acceptable", via("cAsSf "), kMiss},
      {"all details: hit", via("uScRs f p eN:t cCHi p sS"), kHit},
      {"all details: miss", via("uScMsSfWpSeN:t cCMi p sS"), kMiss},
      {"chained: the last one counts",
       {{"Via", "http/1.1 a (ATS [cMsSfW]), http/1.1 b (ATS [cHs f ])"}},
       kHit},
      {"without codes Age is left",
       {{"Via", "http/1.1 a (ApacheTrafficServer)"}, {"Age", "9"}},
       kHit},
      {"X-Cache: hit-fresh", {{"X-Cache", "hit-fresh"}}, kHit},
      {"X-Cache: hit-stale", {{"X-Cache", "hit-stale"}}, kStale},
      {"X-Cache: miss", {{"X-Cache", "miss"}}, kMiss},
      {"X-Cache: none", {{"X-Cache", "none"}}, kMiss},
      {"X-Cache: skipped", {{"X-Cache", "skipped"}}, kUncacheable},
      {"proxies append", {{"X-Cache", "hit-fresh, miss"}}, kMiss},
  });
}

TEST_CASE("caches that say nothing but Age are judged by it") {
  check_rows({
      {"Envoy or HAProxy: a hit", {{"Age", "1"}}, kHit},
      {"in the first second it is open", {{"Age", "0"}}, kMiss},
      {"a miss has none", {{"Content-Type", "text/html"}}, kUnknown},
      {"not a number", {{"Age", "1.5"}}, kUnknown},
  });
}

TEST_CASE("the last member of Cache-Status is that of the pod") {
  check_rows({
      {"a hit before", {{"Cache-Status", "\"Netlify Edge\"; hit, pod; fwd=uri-miss"}}, kMiss},
      {"lines in order", {{"Cache-Status", "far;fwd=miss"}, {"Cache-Status", "pod;hit"}}, kHit},
      {"stale", {{"Cache-Status", "pod; hit; ttl=-30"}}, kStale},
      {"confirmed by the origin", {{"Cache-Status", "pod; fwd=stale; fwd-status=304"}}, kStale},
      {"bypass", {{"Cache-Status", "pod; fwd=bypass"}}, kUncacheable},
      {"method", {{"Cache-Status", "pod; fwd=method"}}, kUncacheable},
      {"the client's wish", {{"Cache-Status", "pod; fwd=request"}}, kMiss},
      {"partial", {{"Cache-Status", "pod; fwd=partial"}}, kMiss},
      {"Souin, in Traefik",
       {{"Cache-Status", "Souin; hit; ttl=9; key=GET-http-a.test-/; detail=DEFAULT"}},
       kHit},
      {"it goes before all other headers",
       {{"Cache-Status", "pod;fwd=miss"}, {"X-Cache-Status", "HIT"}, {"Age", "7"}},
       kMiss},
  });
}

TEST_CASE("what a delivery network in front of the origin left is no evidence") {
  check_rows({
      {"Cloudflare", {{"CF-Cache-Status", "HIT"}, {"X-Varnish", "32770"}}, kMiss},
      {"Cloudflare alone", {{"CF-Cache-Status", "HIT"}}, kUnknown},
      {"CloudFront", {{"X-Cache", "Hit from cloudfront"}, {"X-Varnish", "32770"}}, kMiss},
      {"Akamai",
       {{"X-Cache", "TCP_MEM_HIT from a1 (AkamaiGHost/10.0) (-)"}, {"X-Varnish", "3 2"}},
       kHit},
      {"Fastly",
       {{"X-Served-By", "cache-fra-1, cache-ams-2"},
        {"X-Cache", "MISS, HIT"},
        {"X-Cache-Hits", "0, 1"},
        {"X-Timer", "S1.2,VS0,VE1"},
        {"X-Varnish", "32770"}},
       kMiss},
      {"a pod that calls itself cache-0 is no network",
       {{"X-Served-By", "cache-0"}, {"X-Cache", "HIT"}},
       kHit},
      {"a list of tiers of one's own: the near one counts", {{"X-Cache", "HIT, MISS"}}, kMiss},
  });
}

TEST_CASE("a header that is named goes first, whatever it holds") {
  const auto with = [](const char* value) {
    return http::Headers{{"X-App-Cache", value}, {"Cache-Status", "pod;fwd=miss"}};
  };
  check_rows({
      {"a word", with("HIT"), kHit, "x-app-cache"},
      {"another word", with("hit-for-miss"), kUncacheable, "X-App-Cache"},
      {"true", with("true"), kHit, "X-App-Cache"},
      {"false", {{"X-App-Cache", "false"}, {"Age", "9"}}, kMiss, "X-App-Cache"},
      {"a count of hits", with("3"), kHit, "X-App-Cache"},
      {"no hits", {{"X-App-Cache", "0"}, {"Age", "9"}}, kMiss, "X-App-Cache"},
      {"Cloudflare, by wish",
       {{"CF-Cache-Status", "DYNAMIC"}, {"Age", "9"}},
       kUncacheable,
       "CF-Cache-Status"},
      {"one of the known, read as such", {{"Age", "9"}, {"X-Cache", "MISS"}}, kHit, "Age"},
      {"X-Varnish", {{"X-Varnish", "7 5"}, {"X-Cache", "MISS"}}, kHit, "x-varnish"},
      {"unreadable: the next one decides", with("maybe"), kMiss, "X-App-Cache"},
      {"absent: the next one decides", with("HIT"), kMiss, "X-Other"},
  });
}

TEST_CASE("an answer that is no hit and may not be kept is uncacheable") {
  check_rows({
      {"private", {{"X-Varnish", "7"}, {"Cache-Control", "max-age=60, Private"}}, kUncacheable},
      {"private for a field",
       {{"X-Varnish", "7"}, {"Cache-Control", "private=\"x\""}},
       kUncacheable},
      {"no-store", {{"X-Cache", "MISS"}, {"Cache-Control", "no-store"}}, kUncacheable},
      {"in a second line",
       {{"X-Cache", "MISS"}, {"Cache-Control", "max-age=1"}, {"Cache-Control", "no-store"}},
       kUncacheable},
      {"Set-Cookie", {{"X-Cache", "MISS"}, {"Set-Cookie", "a=b"}}, kUncacheable},
      {"Vary: *", {{"X-Cache", "MISS"}, {"Vary", "*"}}, kUncacheable},
      {"without any evidence", {{"Cache-Control", "no-store"}}, kUncacheable},
      {"but a hit is a hit", {{"X-Cache", "HIT"}, {"Cache-Control", "private"}}, kHit},
      {"Vary: Accept-Encoding", {{"X-Cache", "MISS"}, {"Vary", "Accept-Encoding"}}, kMiss},
      {"a word within a word", {{"X-Cache", "MISS"}, {"Cache-Control", "x-private"}}, kMiss},
      {"no headers at all", {}, kUnknown},
  });
}

}  // namespace
}  // namespace scaledcache::cache
