#include "k8s/utf8.h"

#include <doctest/doctest.h>

namespace scaledcache::k8s {
namespace {

TEST_CASE("cut_utf8 leaves no half character behind") {
  struct Row {
    const char* name;
    std::string text;
    std::size_t max_bytes;
    std::string want;
  };

  for (const Row& row : {
           Row{"shorter text stays", "abc", 4, "abc"},
           Row{"text of just that length stays", "abcd", 4, "abcd"},
           Row{"ASCII is cut at the byte", "abcde", 4, "abcd"},
           Row{"a two-byte character is dropped whole", "abcé", 4, "abc"},
           Row{"a four-byte character is dropped whole", "a😀", 4, "a"},
           Row{"a character that fits stays", "😀b", 4, "😀"},
           Row{"nothing is left of stray continuation bytes", "\x80\x80\x80", 2, ""},
           Row{"no room", "é", 0, ""},
       }) {
    SUBCASE(row.name) {
      CHECK(cut_utf8(row.text, row.max_bytes) == row.want);
    }
  }
}

}  // namespace
}  // namespace scaledcache::k8s
