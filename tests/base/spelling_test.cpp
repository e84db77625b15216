#include "base/spelling.h"

#include <array>

#include <doctest/doctest.h>

namespace scaledcache {
namespace {

TEST_CASE("a typing mistake is led back to the name that is nearest") {
  constexpr std::array<std::string_view, 4> kNames{"validate", "convert", "simulate", "explain"};

  struct Row {
    const char* typed;
    const char* meant;
  };

  for (const Row& row :
       {Row{"validte", "validate"}, Row{"covnert", "convert"}, Row{"simulat", "simulate"},
        Row{"explian", "explain"}, Row{"zzzzzzzz", ""}, Row{"x", ""}}) {
    CAPTURE(row.typed);
    CHECK(nearest(row.typed, kNames) == row.meant);
  }
}

TEST_CASE("without candidates nothing is near") {
  CHECK(nearest("validate", {}).empty());
}

}  // namespace
}  // namespace scaledcache
