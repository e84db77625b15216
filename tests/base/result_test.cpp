#include "base/result.h"

#include <string>

#include <doctest/doctest.h>

namespace scaledcache {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) {
    return Error{ErrorCode::Invalid, "odd"};
  }
  return number / 2;
}

TEST_CASE("a value passes through and_then and transform") {
  const auto text = half(8).and_then(half).transform([](int n) { return std::to_string(n); });
  REQUIRE(text);
  CHECK(*text == "2");
}

TEST_CASE("the first error ends the chain") {
  const auto failed = half(6).and_then(half).and_then(half);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().message == "odd");
  CHECK(failed.value_or(-1) == -1);
}

TEST_CASE("every error code has a name of its own") {
  for (const ErrorCode a : kAllErrorCodes) {
    CHECK(name_of(a) != "Unknown");
    for (const ErrorCode b : kAllErrorCodes) {
      CHECK((a == b) == (name_of(a) == name_of(b)));
    }
  }
}

}  // namespace
}  // namespace scaledcache
