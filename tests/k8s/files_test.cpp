#include "k8s/files.h"

#include <string>

#include <doctest/doctest.h>

namespace scaledcache::k8s {
namespace {

TEST_CASE("a file that is there is read whole") {
  const auto content = read_file(std::string(SCALEDCACHE_SOURCE_DIR) + "/CMakeLists.txt");
  REQUIRE(content);
  CHECK(content->find("project(scaledcache") != std::string::npos);
  CHECK(content->back() == '\n');
}

TEST_CASE("a file that is not there is told from one that cannot be read") {
  const std::string source = SCALEDCACHE_SOURCE_DIR;
  const auto missing = read_file(source + "/no-such-file");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == ErrorCode::NotFound);
  CHECK(missing.error().message.find("no-such-file") != std::string::npos);
  const auto below_a_file = read_file(source + "/CMakeLists.txt/x");
  REQUIRE_FALSE(below_a_file);
  CHECK(below_a_file.error().code == ErrorCode::NotFound);
  const auto directory = read_file(source);
  REQUIRE_FALSE(directory);
  CHECK(directory.error().code == ErrorCode::Unavailable);
}

TEST_CASE("a file without end is refused") {
  const auto endless = read_file("/dev/zero");
  REQUIRE_FALSE(endless);
  CHECK(endless.error().code == ErrorCode::Invalid);
}

TEST_CASE("an empty file is empty, not missing") {
  const auto empty = read_file("/dev/null");
  REQUIRE(empty);
  CHECK(empty->empty());
}

}  // namespace
}  // namespace scaledcache::k8s
