// Whatever a pod sends: no reader of it throws, hangs or gives a path that is none.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "cache/assets.h"
#include "cache/gzip.h"
#include "cache/hit.h"
#include "cache/paths.h"
#include "cache/sitemap.h"

namespace scaledcache::cache {
namespace {

// `seed` with a few pieces copied, cut or replaced by bytes that mean something.
std::string broken(std::string text, std::mt19937& random) {
  constexpr char kMarks[] = "<>\"'=/&;#:,()[]?!- \0\xff\x1f\x8b";
  const auto below = [&](std::size_t limit) { return random() % std::max<std::size_t>(limit, 1); };
  for (std::size_t change = below(8) + 1; change > 0; --change) {
    const std::size_t at = below(text.size());
    switch (below(3)) {
      case 0:
        text.insert(at, text.substr(below(text.size()), below(40)));
        break;
      case 1:
        text.erase(at, below(20));
        break;
      default:
        text.insert(at, 1, kMarks[below(sizeof kMarks)]);
        break;
    }
  }
  return text;
}

bool all_are_paths(const std::vector<std::string>& paths, std::size_t cap) {
  return paths.size() <= cap &&
         std::all_of(paths.begin(), paths.end(), [](const std::string& path) {
           return clean_path(path) == path && path.find_first_of("\r\n #") == std::string::npos;
         });
}

TEST_CASE("broken pages, style sheets, sitemaps and headers do no harm") {
  const std::string page =
      "<!doctype html><base href=/b/><link rel=stylesheet href=\"a.css?x&amp;y\"><!-- c -->"
      "<img src=a.png srcset=\"b.png 1x, c.png 2x\"><style>p{background:url('d.png')}</style>"
      "<script>if (a < b) {}</script><p style='background:url(e.png)'>";
  const std::string css = "@import \"a.css\"; /* c */ p { background: url( b.png ) } @font-face{}";
  const std::string sitemap =
      "<?xml version=\"1.0\"?><urlset xmlns=\"x\"><url><loc>https://www.test/a?b&amp;c</loc>"
      "<lastmod>2026-01-01</lastmod></url><url><loc><![CDATA[/b]]></loc></url></urlset>";
  const std::string zipped = support::gzip(sitemap);
  const std::string header = "\"a, b\"; hit; ttl=-3, pod;fwd=uri-miss;fwd-status=200 [cHs f ] 7 5";
  const PageOrigin origin{.host_name = "www.test", .path = "/p/q", .cap = 3};
  std::mt19937 random(1);
  for (int round = 0; round < 3'000; ++round) {
    CAPTURE(round);
    CHECK(all_are_paths(find_assets(broken(page, random), origin), 3));
    CHECK(all_are_paths(find_css_assets(broken(css, random), origin), 3));
    const std::string line = broken(header, random);
    CHECK(all_are_paths(find_link_assets({{"Link", "<" + line + ">; rel=preload"}}, origin), 3));
    for (const char* name : {"Cache-Status", "X-Cache", "X-Varnish", "Via", "Age"}) {
      CHECK(!name_of(judge_hit({{name, line}}, line)).empty());
    }
    for (const std::string& bytes : {broken(sitemap, random), broken(zipped, random)}) {
      if (const auto read = read_sitemap(bytes, "www.test", 1)) {
        CHECK(read->entries.size() <= 1);
        for (const SitemapEntry& entry : read->entries) {
          CHECK(clean_path(entry.path) == entry.path);
        }
      }
    }
  }
}

// A reader that looks twice at each byte would not see the end of these.
TEST_CASE("a page of nothing but beginnings is read once") {
  struct Row {
    const char* name;
    std::string begin;
    const char* piece;
  };

  constexpr std::size_t kSize = std::size_t{1} << 20;  // what a warm-up keeps of a page
  const PageOrigin origin{.host_name = "www.test", .path = "/p/q", .cap = 3};
  for (const Row& row : {
           Row{"url()", "<style>", "url("},
           Row{"quoted url()", "<style>", "url('"},
           Row{"imports", "<style>", "@import '"},
           Row{"comments in a style", "<style>", "/*"},
           Row{"comments", "", "<!--"},
           Row{"scripts", "<script>", "</"},
           Row{"attributes", "<img ", "a "},
           Row{"an image set", "<img srcset='", "x,"},
           Row{"entities", "<img src='", "&#"},
           Row{"a base as long as half the page",
               "<base href='/" + std::string(kSize / 2, 'a') + "/'>", "<img src=b>"},
           Row{"a base of folders", "<base href='" + std::string(kSize / 2, '/') + "'>",
               "<img src=b>"},
       }) {
    SUBCASE(row.name) {
      std::string page = row.begin;
      while (page.size() < kSize) {
        page += row.piece;
      }
      CHECK(all_are_paths(find_assets(page, origin), 3));
      CHECK(all_are_paths(find_css_assets(page, origin), 3));
      CHECK(all_are_paths(find_link_assets({{"Link", page}}, origin), 3));
      CHECK(!read_sitemap("<urlset>" + page, "www.test", 3).value_or(Sitemap{}).index);
    }
  }
}

}  // namespace
}  // namespace scaledcache::cache
