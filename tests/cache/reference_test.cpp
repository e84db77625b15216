#include "cache/reference.h"

#include <string>

#include <doctest/doctest.h>

namespace scaledcache::cache {
namespace {

TEST_CASE("a link leads where a browser would go, on the same host only") {
  struct Row {
    const char* link;
    const char* want;  // nullptr: nowhere
  };

  const LinkBase base{"www.test", "/blog/post/index.html?page=2"};
  for (const Row& row : {
           Row{"/a.css", "/a.css"},
           Row{"a.css", "/blog/post/a.css"},
           Row{"./a.css?v=1", "/blog/post/a.css?v=1"},
           Row{"../a.css", "/blog/a.css"},
           Row{"../../../../a.css", "/a.css"},
           Row{"/a/./b/../c//d/", "/a/c//d/"},
           Row{"/a/..", "/"},
           Row{"?page=3", "/blog/post/index.html?page=3"},
           Row{"https://www.test/a", "/a"},
           Row{"HTTP://WWW.TEST:8080/a", "/a"},
           Row{"https://www.test", "/"},
           Row{"https://www.test?q=1", "/?q=1"},
           Row{"//www.test/a", "/a"},
           Row{" \n /a\n/b ", "/a/b"},
           Row{"/a#top", "/a"},
           Row{"/b?x=../y", "/b?x=../y"},
           Row{"/a b", "/a%20b"},
           Row{"a:b", nullptr},
           Row{"//other.test/a", nullptr},
           Row{"https://other.test/a", nullptr},
           Row{"https://www.test@other.test/a", nullptr},
           Row{"https://www.test.other.test/a", nullptr},
           Row{"https:/a", nullptr},
           Row{"data:image/png;base64,AAAA", nullptr},
           Row{"javascript:void(0)", nullptr},
           Row{"#top", nullptr},
           Row{"", nullptr},
           Row{"  ", nullptr},
           Row{"https://", nullptr},
       }) {
    CAPTURE(row.link);
    const auto path = resolve_link(row.link, base, "www.test");
    if (row.want == nullptr) {
      CHECK(!path);
    } else {
      CHECK(path == std::string(row.want));
    }
  }
}

TEST_CASE("the base of a page moves where others start from") {
  const LinkBase base{"www.test", "/a/b"};
  CHECK(resolve_link("x", move_base("/c/", base), "www.test") == "/c/x");
  CHECK(resolve_link("x", move_base("d/", base), "www.test") == "/a/d/x");
  CHECK(!resolve_link("x", move_base("https://cdn.test/", base), "www.test"));
  CHECK(resolve_link("x", move_base("", base), "www.test") == "/a/x");
}

TEST_CASE("entities that stand in URLs are decoded, others are left") {
  CHECK(decode_entities("/a?b=1&amp;c=2&#38;d&#x26;e") == "/a?b=1&c=2&d&e");
  CHECK(decode_entities("&lt;&gt;&quot;&apos;&#39;") == "<>\"''");
  CHECK(decode_entities("&copy;&b=1&amp&;&#;&#xzz;&#300;&#0;") ==
        "&copy;&b=1&amp&;&#;&#xzz;&#300;&#0;");
  CHECK(decode_entities("&") == "&");
}

}  // namespace
}  // namespace scaledcache::cache
