#include "cache/sitemap.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "cache/gzip.h"

namespace scaledcache::cache {
namespace {

std::vector<std::string> paths_of(const Sitemap& sitemap) {
  std::vector<std::string> paths;
  for (const SitemapEntry& entry : sitemap.entries) {
    paths.push_back(entry.path);
  }
  return paths;
}

using Strings = std::vector<std::string>;

const std::string kUrlset = R"(<?xml version="1.0" encoding="UTF-8"?>
<!-- <url><loc>https://www.test/comment</loc></url> -->
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://i/">
  <url><loc> https://www.test/a?x=1&amp;y=2 </loc><lastmod>2026-01-02</lastmod></url>
  <url><lastmod>2026-03-01T10:00:00Z</lastmod><loc><![CDATA[https://WWW.test/b]]></loc>
    <image:image><image:loc>https://www.test/b.jpg</image:loc></image:image></url>
  <url><loc>https://www.test/undated</loc></url>
  <url><loc>https://other.test/c</loc></url>
  <url><loc>ftp://www.test/d</loc></url>
  <url><lastmod>2026-04-01</lastmod></url>
  <url><loc>/relative</loc><lastmod>2025</lastmod></url>
</urlset>)";

TEST_CASE("a urlset gives the paths of its own host, the newest first") {
  const auto sitemap = read_sitemap(kUrlset, "www.test", 100);
  REQUIRE(sitemap);
  CHECK(!sitemap->index);
  CHECK(paths_of(*sitemap) == Strings{"/b", "/a?x=1&y=2", "/relative", "/undated"});
  CHECK(sitemap->entries.front().last_modified == "2026-03-01T10:00:00Z");
  CHECK(sitemap->foreign == 2);
}

TEST_CASE("the cap leaves out the oldest") {
  CHECK(paths_of(read_sitemap(kUrlset, "www.test", 2).value()) == Strings{"/b", "/a?x=1&y=2"});
}

TEST_CASE("an index tells of other sitemaps") {
  const auto sitemap = read_sitemap(
      "<sitemapindex><sitemap><loc>https://www.test/s1.xml.gz</loc></sitemap>"
      "<sitemap><loc>https://www.test/s2.xml</loc><lastmod>2026-01-01</lastmod></sitemap>"
      "</sitemapindex>",
      "www.test", 10);
  REQUIRE(sitemap);
  CHECK(sitemap->index);
  CHECK(paths_of(*sitemap) == Strings{"/s2.xml", "/s1.xml.gz"});
}

TEST_CASE("a file in gzip, with a byte order mark or with prefixed names is read as well") {
  CHECK(read_sitemap(support::gzip(kUrlset), "www.test", 10)->entries.size() == 4);
  CHECK(read_sitemap("\xef\xbb\xbf" + kUrlset, "www.test", 10)->entries.size() == 4);
  CHECK(paths_of(read_sitemap("<s:urlset><s:url><s:loc>/a</s:loc></s:url><url><loc>/b</loc></url>"
                              "</s:urlset>",
                              "www.test", 10)
                     .value()) == Strings{"/a"});
}

TEST_CASE("what is cut short gives what came before") {
  CHECK(
      paths_of(read_sitemap(kUrlset.substr(0, kUrlset.find("undated")), "www.test", 10).value()) ==
      Strings{"/b", "/a?x=1&y=2"});
  CHECK(read_sitemap("<urlset><url><loc>/a<![CDATA[b", "www.test", 10)->entries.empty());
  CHECK(read_sitemap("<urlset><!-- ", "www.test", 10)->entries.empty());
}

TEST_CASE("what is no sitemap is refused") {
  for (const std::string& bytes :
       {std::string(), std::string("<html><urlset></urlset></html>"), std::string("no tag at all"),
        std::string("<"), std::string("{}"), std::string("\x1f\x8b broken"),
        support::gzip(std::string(kMaxSitemapBytes + 1, ' '))}) {
    CAPTURE(bytes.substr(0, 40));
    const auto sitemap = read_sitemap(bytes, "www.test", 10);
    REQUIRE(!sitemap);
    CHECK(sitemap.error().code == ErrorCode::Protocol);
  }
  CHECK(!read_sitemap("<urlset>" + std::string(kMaxSitemapBytes, ' '), "www.test", 10));
}

TEST_CASE("no more entries than the protocol allows are looked at") {
  std::string many = "<urlset>";
  for (int i = 0; i < 50'100; ++i) {
    many += "<url><loc>/" + std::to_string(i) + "</loc></url>";
  }
  CHECK(read_sitemap(many, "www.test", 1'000'000)->entries.size() == 50'000);
}

}  // namespace
}  // namespace scaledcache::cache
