#include "cache/assets.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace scaledcache::cache {
namespace {

using Strings = std::vector<std::string>;

const PageOrigin kOrigin{.host_name = "www.test", .path = "/blog/"};

TEST_CASE("a page tells what it needs") {
  struct Row {
    const char* name;
    const char* html;
    Strings want;
  };

  for (const Row& row : std::vector<Row>{
           {"style sheets",
            "<LINK REL='stylesheet' HREF=a.css><link rel=\"alternate stylesheet\" href='/b.css'/>",
            {"/blog/a.css", "/b.css"}},
           {"icons, preloads, manifest",
            "<link rel=icon href=/i.ico><link rel=preload href=/f.woff2 as=font>"
            "<link rel=modulepreload href=/m.js><link rel=manifest href=/m.json>",
            {"/i.ico", "/f.woff2", "/m.js", "/m.json"}},
           {"links to pages are not followed",
            "<a href=/next><link rel=canonical href=/self><link rel=next href=/2><iframe src=/f>",
            {}},
           {"scripts, not what is written in them",
            "<script src=\"/a.js?x=1&amp;y=2\"></script>"
            "<script>document.write('<img src=/no.png>')</script><img src=/yes.png>",
            {"/a.js?x=1&y=2", "/yes.png"}},
           {"image sets",
            "<img src=a.jpg srcset=\"a-1.jpg 1x, a,2.jpg 2x,\n a-3.jpg\">"
            "<picture><source srcset='/b.webp'></picture>",
            {"/blog/a.jpg", "/blog/a-1.jpg", "/blog/a,2.jpg", "/blog/a-3.jpg", "/b.webp"}},
           {"styles",
            "<style>p { background: url( '/p.png' ) }</style><div style=\"background:url(d.png)\">",
            {"/p.png", "/blog/d.png"}},
           {"base", "<base href=/assets/><img src=a.png>", {"/assets/a.png"}},
           {"base elsewhere", "<base href=https://cdn.test/><img src=a.png><img src=/b.png>", {}},
           {"another host",
            "<img src=https://cdn.test/a.png><img src=//www.test/b.png>",
            {"/b.png"}},
           {"each once", "<img src=/a.png><img src=/a.png#x>", {"/a.png"}},
           {"comments",
            "<!-- <img src=/no.png> --><img src=/yes.png><!-- <img src=/no.png>",
            {"/yes.png"}},
           {"broken HTML", "<<img src=/a.png<p><img src=\"/b.png<img src=/c.png", {"/a.png%3Cp"}},
           {"no value", "<img src><img src=><img =x src=/a.png>", {"/a.png"}},
           {"cut short", "<img src=/a.png><img sr", {"/a.png"}},
           {"text", "a < b > c", {}},
           {"empty", "", {}},
       }) {
    SUBCASE(row.name) {
      CHECK(find_assets(row.html, kOrigin) == row.want);
    }
  }
}

TEST_CASE("a style sheet tells what it needs") {
  struct Row {
    const char* name;
    const char* css;
    Strings want;
  };

  for (const Row& row : std::vector<Row>{
           {"url",
            "a{b:url(x.png)}c{d:URL( \"/y.png\" )}e{f:url('/z.png')}",
            {"/blog/x.png", "/y.png", "/z.png"}},
           {"import",
            "@import \"a.css\"; @import url(b.css); @IMPORT 'c.css';",
            {"/blog/a.css", "/blog/b.css", "/blog/c.css"}},
           {"comment", "/* url(/no.png) */ url(/yes.png) /* url(/no.png)", {"/yes.png"}},
           {"a string ends with its line",
            "url(\"/no.png) \n} p{q:url(\"/yes.png\")}",
            {"/yes.png"}},
           {"no url() within a url()", "url('/a?b=url(/c)') url(/d)", {"/a?b=url(/c)", "/d"}},
           {"data", "url(data:image/png;base64,AA==) url(/a.png)", {"/a.png"}},
           {"open", "url(", {}},
           {"open quote", "url('/a.png", {}},
       }) {
    SUBCASE(row.name) {
      CHECK(find_css_assets(row.css, kOrigin) == row.want);
    }
  }
}

TEST_CASE("Link headers tell what to load") {
  CHECK(
      find_link_assets({{"Link", "</a.css>; rel=preload; as=style, </b.js>;rel=\"modulepreload\""},
                        {"link", "<c.css>; as=style; rel=\"stylesheet preload\""},
                        {"Link", "</next>; rel=next, <https://cdn.test/d>; rel=preload"},
                        {"X-Link", "</e>; rel=preload"},
                        {"Link", "</f; rel=preload"}},
                       kOrigin) == Strings{"/a.css", "/b.js", "/blog/c.css"});
}

TEST_CASE("no more are taken than the cap") {
  PageOrigin origin = kOrigin;
  origin.cap = 2;
  CHECK(find_assets("<img src=/1><img src=/2><img src=/3>", origin) == Strings{"/1", "/2"});
}

}  // namespace
}  // namespace scaledcache::cache
