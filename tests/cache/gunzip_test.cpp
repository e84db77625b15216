#include "cache/gunzip.h"

#include <string>

#include <doctest/doctest.h>

#include "cache/gzip.h"

namespace scaledcache::cache {
namespace {

using support::gzip;

TEST_CASE("a gzip file is told by its first bytes, and read whole") {
  const std::string text(100'000, 'x');
  const std::string file = gzip(text);
  CHECK(is_gzip(file));
  CHECK(!is_gzip(text));
  CHECK(!is_gzip(""));
  CHECK(gunzip(file, text.size()).value() == text);
  CHECK(gunzip(gzip("one") + gzip("two"), 100).value() == "onetwo");
  CHECK(gunzip(gzip("one") + "padding", 100).value() == "one");
  CHECK(gunzip(gzip(""), 100).value().empty());
}

TEST_CASE("a file that holds too much, is broken or cut is refused") {
  const std::string bomb = gzip(std::string(10'000'000, '\0'));
  CHECK(bomb.size() < 100'000);
  CHECK(gunzip(bomb, 1'000'000).error().code == ErrorCode::Protocol);
  CHECK(gunzip(gzip("12345"), 4).error().code == ErrorCode::Protocol);
  CHECK(!gunzip(bomb.substr(0, bomb.size() / 2), 100'000'000));
  CHECK(!gunzip("\x1f\x8b nonsense", 100));
  CHECK(!gunzip("", 100));
  std::string flipped = gzip("hello, hello, hello");
  flipped[flipped.size() - 6] ^= 1;  // in the checksum
  CHECK(!gunzip(flipped, 100));
}

}  // namespace
}  // namespace scaledcache::cache
