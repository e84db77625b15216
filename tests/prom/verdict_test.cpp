#include "prom/verdict.h"

#include <optional>

#include <doctest/doctest.h>

#include "base/clock.h"

namespace scaledcache::prom {
namespace {

using std::chrono::seconds;

TEST_CASE("a status becomes the error that says what to do next") {
  struct Row {
    int status;
    ErrorCode want;
  };

  const Row rows[] = {
      {400, ErrorCode::Invalid},      {422, ErrorCode::Invalid},      {414, ErrorCode::Invalid},
      {401, ErrorCode::Unauthorized}, {403, ErrorCode::Unauthorized}, {404, ErrorCode::Protocol},
      {405, ErrorCode::Protocol},     {302, ErrorCode::Protocol},     {204, ErrorCode::Protocol},
      {429, ErrorCode::RateLimited},  {408, ErrorCode::Timeout},      {504, ErrorCode::Timeout},
      {500, ErrorCode::Unavailable},  {502, ErrorCode::Unavailable},  {503, ErrorCode::Unavailable},
      {600, ErrorCode::Protocol},     {0, ErrorCode::Protocol},
  };
  for (const Row& row : rows) {
    CAPTURE(row.status);
    const auto verdict = judge_response({row.status, {}, "secret text of the peer"});
    REQUIRE_FALSE(verdict.has_value());
    CHECK(verdict.error().code == row.want);
    CHECK(verdict.error().message.find(std::to_string(row.status)) != std::string::npos);
    CHECK(verdict.error().message.find("secret") == std::string::npos);
  }
}

TEST_CASE("only JSON that is not compressed is worth decoding") {
  struct Row {
    const char* name;
    http::Headers headers;
    bool good;
  };

  const Row rows[] = {
      {"Prometheus", {{"Content-Type", "application/json"}}, true},
      {"a range selector of VictoriaMetrics",
       {{"Content-Type", "application/stream+json; charset=utf-8"}},
       true},
      {"other letters", {{"content-type", " Application/JSON ;charset=utf-8"}}, true},
      {"another +json", {{"Content-Type", "application/vnd.x+json"}}, true},
      {"identity", {{"Content-Type", "application/json"}, {"Content-Encoding", "identity"}}, true},
      {"a login page", {{"Content-Type", "text/html"}}, false},
      {"no type", {}, false},
      {"JSON as a parameter", {{"Content-Type", "text/html; x=application/json"}}, false},
      {"gzip", {{"Content-Type", "application/json"}, {"Content-Encoding", "gzip"}}, false},
  };
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      const auto verdict = judge_response({200, row.headers, "{}"});
      CHECK(verdict.has_value() == row.good);
      CHECK((row.good || verdict.error().code == ErrorCode::Protocol));
    }
  }
}

TEST_CASE("Retry-After counts in whole seconds, at most thirty") {
  struct Row {
    const char* text;
    std::optional<Milliseconds> want;
  };

  const Row rows[] = {
      {"7", seconds(7)},
      {" 7 ", seconds(7)},
      {"0", seconds(0)},
      {"30", seconds(30)},
      {"1e9", std::nullopt},
      {"1000000000", seconds(30)},
      {"abc", std::nullopt},
      {"-1", std::nullopt},
      {"", std::nullopt},
      {"99999999999999999999", seconds(30)},
      {"Wed, 21 Oct 2015 07:28:00 GMT", std::nullopt},
  };
  for (const int status : {429, 503}) {
    for (const Row& row : rows) {
      CAPTURE(row.text);
      const auto verdict = judge_response({status, {{"Retry-After", row.text}}, ""});
      CHECK(verdict.error().retry_after == row.want);
    }
  }
}

}  // namespace
}  // namespace scaledcache::prom
