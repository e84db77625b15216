#include "cache/warmup.h"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "cache/fake_pods.h"
#include "cache/gzip.h"

namespace scaledcache::cache {
namespace {

using support::FakePage;
using Strings = std::vector<std::string>;

const http::Address kPod = http::parse_address("10.0.0.5").value();
const http::Address kPeer = http::parse_address("10.0.0.6").value();

struct Case {
  Case() {
    plan.door = {.scheme = "http", .port = 8080, .host = "www.test"};
    plan.concurrency = 1;
  }

  WarmupReport run(std::optional<http::Address> peer = std::nullopt, std::stop_token stop = {}) {
    Warmup warmup(plan, {.transport = pods, .origin = budget, .health = health, .clock = clock},
                  kPod, peer);
    return warmup.run(std::move(stop));
  }

  // Pages /p0 … and a list of them.
  void add_pages(int count, const FakePage& page = {}) {
    for (int i = 0; i < count; ++i) {
      const std::string path = "/p" + std::to_string(i);
      pods.site[path] = page;
      plan.paths.push_back(path);
    }
  }

  support::SteppingClock clock;
  support::FakePods pods{clock};
  OriginBudget budget{clock, {}};
  OriginHealth health{clock};
  WarmupPlan plan;
};

std::string end_of(const WarmupReport& report) {
  return std::string(name_of(report.end));
}

TEST_CASE("each page is fetched, then asked for again, and counts when it comes out of the cache") {
  Case one;
  one.add_pages(60, {.body = std::string(1'000, 'x')});
  one.plan.concurrency = 4;
  const WarmupReport report = one.run();
  CHECK(end_of(report) == "Finished");
  CHECK(report.urls == 60);
  CHECK(report.fetched == 60);
  CHECK(report.hits == 60);
  CHECK(report.hit_percent() == 100);
  CHECK(report.bytes == 120'000);
  CHECK(one.pods.origin_requests == 60);
  CHECK(one.pods.asked().size() == 120);
  CHECK(report.trouble.empty());
}

TEST_CASE("requests look like those of visitors") {
  Case one;
  one.add_pages(1);
  one.plan.variants = {{{"Accept-Encoding", "gzip"}}, {}};
  const WarmupReport report = one.run();
  CHECK(report.urls == 2);
  CHECK(report.hits == 2);
  for (const http::Request& request : one.pods.requests) {
    CHECK(request.url == "http://www.test:8080/p0");
    CHECK(request.pod->host == "www.test");
    CHECK(request.pod->address == kPod);
    CHECK(request.pod->keep_body_bytes == 0);
  }
  CHECK(one.pods.origin_requests == 2);
}

TEST_CASE("pages that cannot be cached are told apart and do not count") {
  Case one;
  one.add_pages(8);
  one.pods.site["/p0"] = {.headers = {{"Cache-Control", "private"}}, .kept_after = 0};
  one.pods.site["/p1"] = {.status = 302, .kept_after = 0};
  one.plan.paths.push_back("/not-there");
  const WarmupReport report = one.run();
  CHECK(report.uncacheable == 3);
  CHECK(report.hits == 6);
  CHECK(report.cacheable() == 6);
  CHECK(report.hit_percent() == 100);
}

TEST_CASE("a site that redirects to https keeps nothing but redirects, and that is no warmth") {
  Case one;
  one.add_pages(2, {.status = 301});
  for (auto& [path, page] : one.pods.site) {
    page.headers = {{"Location", "https://www.test" + path}};
  }
  const WarmupReport report = one.run();
  CHECK(report.hits == 0);
  CHECK(report.errors == 2);
  CHECK(report.trouble.find("X-Forwarded-Proto") != std::string::npos);
}

TEST_CASE("a page that misses is asked again a few times") {
  Case one;
  one.add_pages(2);
  one.pods.site["/p0"].kept_after = 3;
  one.pods.site["/p1"].kept_after = 0;
  const WarmupReport report = one.run();
  CHECK(report.hits == 1);
  CHECK(report.misses == 1);
  CHECK(report.hit_percent() == 50);
  const Strings asked = one.pods.asked();
  CHECK(std::count(asked.begin(), asked.end(), "/p0") == 4);
  CHECK(std::count(asked.begin(), asked.end(), "/p1") == 6);
  CHECK(report.duration < Milliseconds{3'000});
}

TEST_CASE("what a warm peer does not keep either cannot be cached") {
  Case one;
  one.add_pages(3);
  one.pods.site["/p0"].kept_after = 0;
  const WarmupReport report = one.run(kPeer);
  CHECK(report.uncacheable == 1);
  CHECK(report.misses == 0);
  CHECK(report.hits == 2);
}

TEST_CASE("what the peer keeps and the pod does not is a miss") {
  Case one;
  one.add_pages(2);
  one.pods.site["/p0"].kept_after = 0;
  one.pods.kept.insert("10.0.0.6 /p0 ");
  const WarmupReport report = one.run(kPeer);
  CHECK(report.misses == 1);
  CHECK(report.uncacheable == 0);
}

TEST_CASE("a page that differs from the warm peer's is an error, small changes are none") {
  struct Row {
    const char* name;
    FakePage at_pod;
    int errors;
  };

  for (const Row& row : std::vector<Row>{
           {"status", {.status = 404, .body = std::string(100, 'x')}, 1},
           {"half of it", {.body = std::string(49, 'x')}, 1},
           {"more than double", {.body = std::string(202, 'x')}, 1},
           {"nothing", {.body = ""}, 1},
           {"a little less", {.body = std::string(60, 'x')}, 0},
           {"a little more", {.body = std::string(190, 'x')}, 0},
       }) {
    SUBCASE(row.name) {
      Case one;
      one.add_pages(1, {.body = std::string(100, 'x')});
      one.pods.change = [&](const std::string& address, const FakePage& page) {
        return address == "10.0.0.5" ? row.at_pod : page;
      };
      const WarmupReport report = one.run(kPeer);
      CHECK(report.errors == row.errors);
      CHECK(report.hits == 1 - row.errors);
      CHECK(report.trouble.empty() == (row.errors == 0));
    }
  }
}

TEST_CASE("pages that say nothing are unknown and prove nothing") {
  Case one;
  one.add_pages(2);
  one.pods.says_hit = false;
  const WarmupReport report = one.run();
  CHECK(report.unknown == 2);
  CHECK(report.hit_percent() == 0);
  CHECK(one.pods.asked().size() == 4);
}

TEST_CASE("the pages of a sitemap are warmed, the newest first, and nothing of other hosts") {
  Case one;
  one.plan.sitemap = "/sitemap.xml";
  const std::string sitemap =
      "<?xml version=\"1.0\"?><urlset>"
      "<url><loc>https://www.test/old</loc><lastmod>2026-01-01</lastmod></url>"
      "<url><loc>https://www.test/new</loc><lastmod>2026-02-01</lastmod></url>"
      "<url><loc>https://other.test/x</loc></url></urlset>";
  one.pods.site["/old"] = {};
  one.pods.site["/new"] = {};
  SUBCASE("plain") {
    one.pods.site["/sitemap.xml"] = {.body = sitemap};
  }
  SUBCASE("in gzip") {
    one.pods.site["/sitemap.xml"] = {.body = support::gzip(sitemap)};
  }
  SUBCASE("by an index") {
    one.pods.site["/sitemap.xml"] = {
        .body = "<sitemapindex><sitemap><loc>/part.xml</loc></sitemap></sitemapindex>"};
    one.pods.site["/part.xml"] = {.body = sitemap};
  }
  const WarmupReport report = one.run();
  CHECK(report.urls == 2);
  CHECK(report.hits == 2);
  const Strings asked = one.pods.asked();
  CHECK(std::find(asked.begin(), asked.end(), "/new") <
        std::find(asked.begin(), asked.end(), "/old"));
  CHECK(std::find(asked.begin(), asked.end(), "/x") == asked.end());
}

TEST_CASE("a sitemap that cannot be read is said, and is no proof of an empty site") {
  struct Row {
    const char* name;
    FakePage sitemap;
    const char* trouble;
  };

  for (const Row& row :
       std::vector<Row>{{"not there", {.status = 404}, "the sitemap was answered with status 404"},
                        {"encoded",
                         {.headers = {{"Content-Encoding", "br"}}},
                         "the sitemap was answered with status 200, encoded"},
                        {"a page", {.body = "<html></html>"}, "the answer is no sitemap"}}) {
    SUBCASE(row.name) {
      Case one;
      one.plan.sitemap = "/sitemap.xml";
      one.pods.site["/sitemap.xml"] = row.sitemap;
      WarmupReport report = one.run();
      CHECK(end_of(report) == "NoAnswer");
      CHECK(report.trouble == row.trouble);
      one.add_pages(1);
      report = one.run();
      CHECK(end_of(report) == "Finished");
      CHECK(report.hits == 1);
    }
  }
}

TEST_CASE("what pages need is warmed too, one level deep") {
  Case one;
  one.plan.paths = {"/"};
  one.plan.discover_assets = true;
  one.pods.site["/"] = {.type = "text/html; charset=utf-8",
                        .body = "<link rel=stylesheet href=a.css><a href=/next>next</a>",
                        .headers = {{"Link", "</font.woff2>; rel=preload; as=font"}}};
  one.pods.site["/a.css"] = {.type = "text/css", .body = "b { background: url(i.png) }"};
  one.pods.site["/font.woff2"] = {};
  one.pods.site["/i.png"] = {};
  one.pods.site["/next"] = {};
  SUBCASE("plain") {
    const WarmupReport report = one.run();
    CHECK(report.urls == 4);
    CHECK(report.hits == 4);
    const Strings asked = one.pods.asked();
    CHECK(std::find(asked.begin(), asked.end(), "/next") == asked.end());
  }
  SUBCASE("an encoded page is asked for once more, plainly, to be read") {
    one.plan.variants = {{{"Accept-Encoding", "gzip"}}};
    for (auto& [path, page] : one.pods.site) {
      page.headers.push_back({"Vary", "Accept-Encoding"});
    }
    one.pods.before_answer = [&one, count = 0](const std::string& path) mutable {
      // The first answer to each of "/" comes encoded, the second one plain.
      auto& headers = one.pods.site["/"].headers;
      std::erase_if(headers, [](const auto& header) { return header.name == "Content-Encoding"; });
      if (path == "/" && count++ == 0) {
        headers.push_back({"Content-Encoding", "gzip"});
      }
    };
    const WarmupReport report = one.run();
    CHECK(report.urls == 4);
    CHECK(report.hits == 4);
  }
  SUBCASE("not unless it is wished") {
    one.plan.discover_assets = false;
    CHECK(one.run().urls == 1);
  }
}

TEST_CASE("no more URLs than the limit, with variants counted") {
  Case one;
  one.add_pages(10);
  one.plan.limits.urls = 5;
  one.plan.variants = {{}, {{"Accept-Encoding", "gzip"}}};
  CHECK(one.run().urls == 5);
}

TEST_CASE("a pod that does not listen yet is waited for") {
  Case one;
  one.add_pages(3);
  SUBCASE("for a while") {
    one.pods.refused_connections = 20;
    const WarmupReport report = one.run();
    CHECK(end_of(report) == "Finished");
    CHECK(report.hits == 3);
    CHECK(report.duration >= Milliseconds{2'000});
    CHECK(report.trouble.empty());
  }
  SUBCASE("not for ever") {
    one.pods.refused_connections = 1'000'000;
    const WarmupReport report = one.run();
    CHECK(end_of(report) == "NoAnswer");
    CHECK(report.trouble == "connection refused");
    CHECK(report.duration < Milliseconds{11'000});
  }
}

TEST_CASE("an origin in trouble is left alone") {
  Case one;
  one.add_pages(100);
  SUBCASE("with errors") {
    for (auto& [path, page] : one.pods.site) {
      page = {.status = 503, .kept_after = 0};
    }
    const WarmupReport report = one.run();
    CHECK(end_of(report) == "OriginFailing");
    CHECK(report.origin == OriginTrouble::Errors);
    CHECK(report.trouble == "the origin answers with errors");
    CHECK(one.pods.origin_requests == 10);
  }
  SUBCASE("too slow") {
    one.pods.origin_delay = Milliseconds{2'500};
    const WarmupReport report = one.run();
    CHECK(end_of(report) == "OriginFailing");
    CHECK(report.origin == OriginTrouble::Slow);
  }
  SUBCASE("a second warm-up does not even begin") {
    for (int i = 0; i < 20; ++i) {
      one.health.note(true, Milliseconds{1});
    }
    CHECK(end_of(one.run()) == "OriginFailing");
    CHECK(one.pods.requests.empty());
  }
}

TEST_CASE("the first pass keeps to the budget, the proof needs none") {
  Case one;
  one.add_pages(20);
  one.pods.origin_delay = Milliseconds{0};
  one.budget.set_limits({.per_second = 10, .at_once = 16});
  const WarmupReport report = one.run();
  CHECK(report.hits == 20);
  CHECK(report.duration == Milliseconds{1'900});
}

TEST_CASE("a warm-up ends at its time, at its bytes, and when it is told to") {
  Case one;
  one.add_pages(100, {.body = std::string(1'000, 'x')});
  SUBCASE("time") {
    one.plan.timeout = Milliseconds{1'000};
    const WarmupReport report = one.run();
    CHECK(end_of(report) == "TimedOut");
    CHECK(report.fetched == 20);
    CHECK(report.origin == OriginTrouble::None);
  }
  SUBCASE("bytes") {
    one.plan.limits.bytes = 10'000;
    const WarmupReport report = one.run();
    CHECK(end_of(report) == "TooMuch");
    CHECK(report.fetched == 11);
  }
  SUBCASE("stop") {
    std::stop_source source;
    one.pods.before_answer = [&](const std::string& path) {
      if (path == "/p7") {
        source.request_stop();
      }
    };
    const WarmupReport report = one.run(std::nullopt, source.get_token());
    CHECK(end_of(report) == "Cancelled");
    CHECK(one.pods.requests.size() == 8);
  }
  SUBCASE("stop before it begins") {
    std::stop_source source;
    source.request_stop();
    CHECK(end_of(one.run(std::nullopt, source.get_token())) == "Cancelled");
    CHECK(one.pods.requests.empty());
  }
}

TEST_CASE("a plan that makes no URL is invalid") {
  Case one;
  one.add_pages(1);
  one.plan.door.host = "www.test/x?";
  const WarmupReport report = one.run();
  CHECK(end_of(report) == "Invalid");
  CHECK(report.trouble == "warmup.hostHeader is not a host name");
}

TEST_CASE("pages to probe with are spread over what was proven, and do not expire soon") {
  Case one;
  one.add_pages(100);
  one.pods.site["/p0"].headers = {{"Cache-Control", "public, max-age=30"}};
  one.pods.site["/p1"].headers = {{"Cache-Control", "max-age=5, s-maxage=600"}};
  one.plan.limits.proved = 9;
  for (const bool by_head : {true, false}) {
    CAPTURE(by_head);
    one.pods.answers_head_from_cache = by_head;
    const WarmupReport report = one.run();
    REQUIRE(report.proved.size() == 9);
    CHECK(report.proved.front().path == "/p1");
    CHECK(report.proved.back().path == "/p89");
    CHECK(std::all_of(report.proved.begin(), report.proved.end(),
                      [&](const ProvedUrl& url) { return url.by_head == by_head; }));
  }
}

TEST_CASE("progress tells how far it is") {
  Case one;
  one.add_pages(10);
  one.plan.limits.proved = 1;  // so that no HEAD goes to the last page
  Warmup warmup(
      one.plan,
      {.transport = one.pods, .origin = one.budget, .health = one.health, .clock = one.clock},
      kPod);
  WarmupProgress seen;
  one.pods.before_answer = [&](const std::string& path) {
    if (path == "/p9") {
      seen = warmup.progress();
    }
  };
  CHECK(warmup.run({}).hits == 10);
  CHECK(seen.urls == 10);
  CHECK(seen.fetched == 10);  // /p9 is asked for twice; the second time counts
  CHECK(seen.judged == 9);
  CHECK(seen.hits == 9);
  CHECK(warmup.progress().hits == 10);
}

}  // namespace
}  // namespace scaledcache::cache
