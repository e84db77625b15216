#include "http/transport.h"

#include <doctest/doctest.h>

namespace scaledcache::http {
namespace {

TEST_CASE("a header is found whatever the case of its name, the first one wins") {
  const Headers headers{{"Content-Type", "text/plain"}, {"content-type", "application/json"}};
  CHECK(find_header(headers, "CONTENT-TYPE") == "text/plain");
  CHECK(find_header(headers, "Content-Typ").empty());
  CHECK(find_header({}, "Date").empty());
}

TEST_CASE("methods are printed as they stand on the wire") {
  CHECK(name_of(Method::Get) == "GET");
  CHECK(name_of(Method::Head) == "HEAD");
  CHECK(name_of(Method::Post) == "POST");
  CHECK(name_of(Method::Put) == "PUT");
  CHECK(name_of(Method::Patch) == "PATCH");
}

}  // namespace
}  // namespace scaledcache::http
