#include "cache/paths.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace scaledcache::cache {
namespace {

using Strings = std::vector<std::string>;

TEST_CASE("a path is taken as it may stand in a request line") {
  struct Row {
    const char* name;
    std::string path;
    const char* want;  // nullptr: refused
  };

  for (const Row& row : std::vector<Row>{
           {"plain", "/a/b?c=1&d=%20", "/a/b?c=1&d=%20"},
           {"root", "/", "/"},
           {"fragment", "/a#top", "/a"},
           {"letters beyond ASCII", "/caf\xc3\xa9", "/caf%C3%A9"},
           {"space and brackets", "/a b?{x}|\"", "/a%20b?%7Bx%7D%7C%22"},
           {"no slash", "a/b", nullptr},
           {"another host", "//evil.test/", nullptr},
           {"absolute", "http://evil.test/", nullptr},
           {"line end", "/a\r\nHost: b", nullptr},
           {"NUL", std::string("/a\0b", 4), nullptr},
           {"empty", "", nullptr},
           {"only a fragment", "#a", nullptr},
           {"too long", "/" + std::string(2'048, 'a'), nullptr},
       }) {
    SUBCASE(row.name) {
      const auto clean = clean_path(row.path);
      if (row.want == nullptr) {
        CHECK(!clean);
      } else {
        CHECK(clean == std::string(row.want));
      }
    }
  }
}

TEST_CASE("a path of just the longest length passes") {
  const std::string longest = "/" + std::string(kMaxPathBytes - 1, 'a');
  CHECK(clean_path(longest) == longest);
}

TEST_CASE("a text of paths may hold comments, blank lines, line ends of any kind and duplicates") {
  const CleanPaths clean =
      clean_path_text("# hot list\n/a\r\n\n  /b \n/a\n#/c\nnonsense\n/d#x\n/d", 100);
  CHECK(clean.paths == Strings{"/a", "/b", "/d"});
  CHECK(clean.refused == 1);
  CHECK(!clean.cut);
  CHECK(clean_path_text("", 100).paths.empty());
}

TEST_CASE("of more paths than the cap the first ones are kept") {
  const CleanPaths clean = clean_paths({"/a", "/a", "/b", "/c"}, 2);
  CHECK(clean.paths == Strings{"/a", "/b"});
  CHECK(clean.cut);
  CHECK(!clean_paths({"/a", "/b", "/a"}, 2).cut);
}

}  // namespace
}  // namespace scaledcache::cache
