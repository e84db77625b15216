#include "cache/page.h"

#include <doctest/doctest.h>

namespace scaledcache::cache {
namespace {

TEST_CASE("a page that expires within a minute is short-lived") {
  struct Row {
    const char* control;
    bool want;
  };

  for (const Row& row :
       {Row{"max-age=59", true}, Row{"public, Max-Age = 60", false},
        Row{"max-age=5, s-maxage=600", false}, Row{"s-maxage=1, max-age=600", true},
        Row{"max-age=x", false}, Row{"no-cache", false}, Row{"", false}}) {
    CAPTURE(row.control);
    CHECK(is_short_lived({{"Cache-Control", row.control}}) == row.want);
  }
  CHECK(!is_short_lived({}));
}

TEST_CASE("a redirect to the same path under another scheme or host leads elsewhere") {
  struct Row {
    int status;
    const char* location;
    bool want;
  };

  for (const Row& row : {Row{301, "https://www.test/a?b", true}, Row{308, "//other.test/a?b", true},
                         Row{301, "https://www.test/a", false}, Row{302, "/a?b", false},
                         Row{301, "https://www.test/login", false},
                         Row{200, "https://www.test/a?b", false}, Row{304, "", false}}) {
    CAPTURE(row.location);
    CHECK(redirects_elsewhere({.response = {row.status, {{"Location", row.location}}, {}}},
                              "/a?b") == row.want);
  }
  CHECK(redirects_elsewhere({.response = {301, {{"Location", "https://www.test"}}, {}}}, "/"));
}

TEST_CASE("the second answer decides what becomes of a page") {
  struct Row {
    int status;
    HitVerdict verdict;
    PageOutcome want;
  };

  for (const Row& row :
       {Row{200, HitVerdict::Hit, PageOutcome::Hit}, Row{404, HitVerdict::Hit, PageOutcome::Hit},
        Row{200, HitVerdict::StaleHit, PageOutcome::StaleHit},
        Row{200, HitVerdict::Miss, PageOutcome::Miss},
        Row{301, HitVerdict::Miss, PageOutcome::Uncacheable},
        Row{404, HitVerdict::Unknown, PageOutcome::Uncacheable},
        Row{200, HitVerdict::Unknown, PageOutcome::Unknown},
        Row{200, HitVerdict::Uncacheable, PageOutcome::Uncacheable},
        Row{500, HitVerdict::Hit, PageOutcome::Error},
        Row{503, HitVerdict::Uncacheable, PageOutcome::Error}}) {
    CAPTURE(row.status);
    CHECK(outcome_of({.response = {row.status, {}, {}}, .verdict = row.verdict}) == row.want);
  }
}

}  // namespace
}  // namespace scaledcache::cache
