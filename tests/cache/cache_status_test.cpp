#include "cache/cache_status.h"

#include <doctest/doctest.h>

namespace scaledcache::cache {
namespace {

TEST_CASE("the parameters of the last member are read") {
  const auto status = last_cache_status(
      {R"("far, away"; hit; detail="a;b\"c", pod ;fwd=URI-Miss; fwd-status=200;ttl=-3 ; stored)"});
  REQUIRE(status);
  CHECK(*status ==
        CacheStatus{.cache = "pod", .hit = false, .fwd = "uri-miss", .fwd_status = 200, .ttl = -3});
}

TEST_CASE("hit is a boolean, and excludes fwd") {
  CHECK(last_cache_status({"a;hit"})->hit);
  CHECK(last_cache_status({"a; hit=?1"})->hit);
  CHECK(!last_cache_status({"a;hit=?0"})->hit);
  CHECK(!last_cache_status({"a;hit;fwd=miss"})->hit);
  CHECK(!last_cache_status({"a"})->hit);
}

TEST_CASE("what is broken says nothing") {
  CHECK(!last_cache_status({}));
  CHECK(!last_cache_status({""}));
  CHECK(!last_cache_status({"a;hit, "}));
  CHECK(!last_cache_status({"a;hit", ""}));
  CHECK(!last_cache_status({"a;ttl=x;fwd-status=2y"})->ttl);
  CHECK(last_cache_status({"\"a"})->cache == "\"a");
}

}  // namespace
}  // namespace scaledcache::cache
