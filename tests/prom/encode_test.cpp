#include "prom/encode.h"

#include <doctest/doctest.h>

namespace scaledcache::prom {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr WallTime kStart{Milliseconds{1'767'225'600'050}};

TEST_CASE("a question is a GET behind the backend's own path, with partial answers refused") {
  const auto request =
      encode_query({.url = "http://vm:8428/select/0/prometheus/"}, R"(m{a="b"}[70s])");
  REQUIRE(request.has_value());
  CHECK(request->method == http::Method::Get);
  CHECK(request->url ==
        "http://vm:8428/select/0/prometheus/api/v1/query?query=m%7Ba%3D%22b%22%7D%5B70s%5D"
        "&partial_response=false&deny_partial_response=1");
  CHECK(request->body.empty());
  CHECK(http::find_header(request->headers, "Accept") == "application/json");
  CHECK(request->timeout == seconds(5));
}

TEST_CASE("a long question is a form, with nothing of it in the URL") {
  const std::string text = "sum(" + std::string(3000, 'm') + ")";
  const auto request = encode_query({.url = "http://vm:8428"}, text);
  REQUIRE(request.has_value());
  CHECK(request->method == http::Method::Post);
  CHECK(request->url == "http://vm:8428/api/v1/query");
  CHECK(request->body == "query=sum%28" + std::string(3000, 'm') +
                             "%29&partial_response=false&deny_partial_response=1");
  CHECK(http::find_header(request->headers, "Content-Type") == "application/x-www-form-urlencoded");
}

TEST_CASE("a range has its ends and its step in seconds") {
  const auto request = encode_range_query({.url = "http://prom:9090"},
                                          {"up", kStart, kStart + hours(1), Milliseconds(1250)});
  REQUIRE(request.has_value());
  CHECK(request->url ==
        "http://prom:9090/api/v1/query_range?query=up&start=1767225600.050&end=1767229200.050"
        "&step=1.250&partial_response=false&deny_partial_response=1");
}

TEST_CASE("a range that no backend would answer is refused before it is sent") {
  struct Row {
    const char* name;
    WallTime start;
    WallTime end;
    Milliseconds step;
    bool good;
  };

  const Row rows[] = {
      {"one point", kStart, kStart, seconds(1), true},
      {"11,000 points", kStart, kStart + seconds(10'999), seconds(1), true},
      {"11,001 points", kStart, kStart + seconds(11'000), seconds(1), false},
      {"no step", kStart, kStart + seconds(1), seconds(0), false},
      {"a step backwards", kStart, kStart + seconds(1), seconds(-1), false},
      {"an end before the start", kStart, kStart - seconds(1), seconds(1), false},
      {"a start before 1970", WallTime{seconds(-1)}, kStart, hours(24 * 365), false},
  };
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      const auto request =
          encode_range_query({.url = "http://vm"}, {"up", row.start, row.end, row.step});
      CHECK(request.has_value() == row.good);
    }
  }
}

TEST_CASE("parameters of the backend are added, and replace our own defaults") {
  const Backend backend{.url = "http://vm/?tenant=7",
                        .parameters = {{"deny_partial_response", "0"}, {"extra label", "a=b&c"}}};
  CHECK(
      encode_query(backend, "up")->url ==
      "http://vm:80/api/v1/query?tenant=7&query=up&deny_partial_response=0&extra%20label=a%3Db%26c"
      "&partial_response=false");
}

TEST_CASE("headers and credentials are sent, without the line end that files have") {
  const Backend backend{
      .url = "http://vm",
      .headers = {{"X-Scope-OrgID", "blog"}},
      .secret_headers = {{"Authorization", Secret<std::string>("Bearer abc\r\n")}}};
  const auto request = encode_query(backend, "up");
  REQUIRE(request.has_value());
  CHECK(http::find_header(request->headers, "X-Scope-OrgID") == "blog");
  CHECK(http::find_header(request->headers, "Authorization") == "Bearer abc");
}

TEST_CASE("what would break the request or change its meaning is refused, and not repeated") {
  const auto secret = [](std::string name, std::string value) {
    return SecretHeader{std::move(name), Secret<std::string>(std::move(value))};
  };

  struct Row {
    const char* name;
    Backend backend;
    std::string says;
  };

  const Row rows[] = {
      {"another scheme", {.url = "file:///etc/passwd"}, ""},
      {"a URL with a password", {.url = "http://a:hunter2@vm"}, ""},
      {"a blank in a header's name", {.url = "http://vm", .headers = {{"X Y", "v"}}}, "header"},
      {"a line end in a value",
       {.url = "http://vm", .headers = {{"X-Y", "hunter2\r\nHost: b"}}},
       "X-Y"},
      {"the Host header", {.url = "http://vm", .headers = {{"HOST", "other"}}}, "HOST"},
      {"compression", {.url = "http://vm", .headers = {{"Accept-Encoding", "gzip"}}}, "Accept"},
      {"a zero byte in a secret",
       {.url = "http://vm",
        .secret_headers = {secret("Authorization", std::string("hunter2\0", 8))}},
       "Authorization"},
      {"two line ends behind a secret",
       {.url = "http://vm", .secret_headers = {secret("Authorization", "hunter2\n\n")}},
       "Authorization"},
      {"another query", {.url = "http://vm", .parameters = {{"query", "hunter2"}}}, "parameter"},
      {"a parameter without a name", {.url = "http://vm", .parameters = {{"", "v"}}}, "parameter"},
  };
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      const auto request = encode_query(row.backend, "up");
      REQUIRE_FALSE(request.has_value());
      CHECK(request.error().code == ErrorCode::Invalid);
      CHECK(request.error().message.find(row.says) != std::string::npos);
      CHECK(request.error().message.find("hunter2") == std::string::npos);
    }
  }
}

}  // namespace
}  // namespace scaledcache::prom
