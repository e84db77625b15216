#include "k8s/api_error.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace scaledcache::k8s {
namespace {

using std::chrono::milliseconds;

http::Response answer(int status, std::string body, http::Headers headers = {}) {
  return http::Response{status, std::move(headers), std::move(body)};
}

std::string status_body(int code, const std::string& reason) {
  return R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"m","reason":")" +
         reason + R"(","code":)" + std::to_string(code) + "}";
}

TEST_CASE("an answer is judged by its reason first, then by its code") {
  struct Row {
    const char* name;
    http::Response response;
    ErrorCode want;
  };

  const std::vector<Row> rows{
      {"400 BadRequest", answer(400, status_body(400, "BadRequest")), ErrorCode::Invalid},
      {"422 Invalid", answer(422, status_body(422, "Invalid")), ErrorCode::Invalid},
      {"401", answer(401, status_body(401, "Unauthorized")), ErrorCode::Unauthorized},
      {"403", answer(403, status_body(403, "Forbidden")), ErrorCode::Forbidden},
      {"404", answer(404, status_body(404, "NotFound")), ErrorCode::NotFound},
      {"405", answer(405, status_body(405, "MethodNotAllowed")), ErrorCode::Invalid},
      {"415", answer(415, status_body(415, "UnsupportedMediaType")), ErrorCode::Invalid},
      {"409 Conflict", answer(409, status_body(409, "Conflict")), ErrorCode::Conflict},
      {"409 AlreadyExists", answer(409, status_body(409, "AlreadyExists")), ErrorCode::Conflict},
      {"410 Expired", answer(410, status_body(410, "Expired")), ErrorCode::Gone},
      {"410 Gone", answer(410, status_body(410, "Gone")), ErrorCode::Gone},
      {"429", answer(429, status_body(429, "TooManyRequests")), ErrorCode::RateLimited},
      {"500", answer(500, status_body(500, "InternalError")), ErrorCode::Unavailable},
      {"500 ServerTimeout", answer(500, status_body(500, "ServerTimeout")), ErrorCode::Unavailable},
      {"503", answer(503, status_body(503, "ServiceUnavailable")), ErrorCode::Unavailable},
      {"504", answer(504, status_body(504, "Timeout")), ErrorCode::Timeout},
      {"the reason wins over the code", answer(500, status_body(500, "Expired")), ErrorCode::Gone},
      {"a reason nobody knows", answer(410, status_body(410, "Novel")), ErrorCode::Gone},
      {"a proxy's page, 401", answer(401, "<html>"), ErrorCode::Unauthorized},
      {"a proxy's page, 404", answer(404, "<html>"), ErrorCode::NotFound},
      {"a proxy's page, 410", answer(410, ""), ErrorCode::Gone},
      {"a proxy's page, 429", answer(429, "slow down"), ErrorCode::RateLimited},
      {"a proxy's page, 502", answer(502, "<html>"), ErrorCode::Unavailable},
      {"a proxy's page, 504", answer(504, "<html>"), ErrorCode::Timeout},
      {"a proxy's page, 418", answer(418, "{}"), ErrorCode::Invalid},
      {"JSON that is no Status", answer(403, R"({"reason":"NotFound"})"), ErrorCode::Forbidden},
      {"a redirect", answer(302, ""), ErrorCode::Protocol},
      {"an interim answer", answer(103, ""), ErrorCode::Protocol},
      {"a status line of nonsense", answer(0, ""), ErrorCode::Protocol},
  };
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      CHECK(name_of(to_error(decode_status(row.response)).code) == name_of(row.want));
    }
  }
}

TEST_CASE("a 422 is a conflict only for a request whose patch carries a test") {
  const ApiStatus status = decode_status(answer(422, status_body(422, "Invalid")));
  CHECK(to_error(status).code == ErrorCode::Invalid);
  CHECK(to_error(status, Unprocessable::Conflict).code == ErrorCode::Conflict);
  const ApiStatus bad_request = decode_status(answer(400, status_body(400, "BadRequest")));
  CHECK(to_error(bad_request, Unprocessable::Conflict).code == ErrorCode::Invalid);
}

TEST_CASE("D5: Retry-After is whole seconds, at most thirty") {
  struct Row {
    const char* text;
    std::optional<milliseconds> want;
  };

  for (const Row& row :
       {Row{"7", milliseconds{7000}}, Row{"0", milliseconds{0}}, Row{"30", milliseconds{30'000}},
        Row{"31", milliseconds{30'000}}, Row{"1000000000", milliseconds{30'000}},
        Row{"99999999999999999999999999", milliseconds{30'000}}, Row{"abc", std::nullopt},
        Row{"1e9", std::nullopt}, Row{"-1", std::nullopt}, Row{"1.5", std::nullopt},
        Row{" 7", std::nullopt}, Row{"Mon, 30 Nov 2026 17:34:22 GMT", std::nullopt},
        Row{"", std::nullopt}}) {
    SUBCASE(row.text) {
      CHECK((parse_retry_after(row.text) == row.want));
    }
  }
}

TEST_CASE("how long to wait comes from the header, else from the Status") {
  const std::string body =
      R"({"kind":"Status","code":429,"reason":"TooManyRequests","details":{"retryAfterSeconds":3}})";
  CHECK(to_error(decode_status(answer(429, body))).retry_after == milliseconds{3000});
  CHECK(to_error(decode_status(answer(429, body, {{"retry-after", "7"}}))).retry_after ==
        milliseconds{7000});
  CHECK(to_error(decode_status(answer(429, body, {{"Retry-After", "abc"}}))).retry_after ==
        milliseconds{3000});
  CHECK_FALSE(to_error(decode_status(answer(429, ""))).retry_after.has_value());
  const std::string huge = R"({"kind":"Status","details":{"retryAfterSeconds":1000000000000}})";
  CHECK(decode_status(answer(429, huge)).retry_after == kMaxRetryAfter);
}

TEST_CASE("D4: a version too large for the server is known by its cause or its words") {
  const std::string by_cause =
      R"({"kind":"Status","code":504,"reason":"Timeout","message":"x",)"
      R"("details":{"causes":[{"reason":"ResourceVersionTooLarge"}],"retryAfterSeconds":1}})";
  const ApiStatus status = decode_status(answer(504, by_cause));
  CHECK(status.version_too_large);
  CHECK(status.retry_after == milliseconds{1000});
  const std::string by_words =
      R"({"kind":"Status","code":504,"reason":"Timeout","message":"Too large resource version: 9"})";
  CHECK(decode_status(answer(504, by_words)).version_too_large);
  CHECK_FALSE(decode_status(answer(504, status_body(504, "Timeout"))).version_too_large);
}

TEST_CASE("an ERROR event that carries no Status keeps the code it is given") {
  for (const Json& object : {Json(7), Json::object(), Json{{"kind", "Pod"}}, Json()}) {
    const ApiStatus status = decode_status(object, 500);
    CHECK(status.code == 500);
    CHECK(status.reason.empty());
  }
  CHECK(decode_status(Json{{"kind", "Status"}, {"code", -5}}, 500).code == 500);
  CHECK(decode_status(Json{{"kind", "Status"}, {"code", "410"}}, 500).code == 500);
}

TEST_CASE("the message names code, reason and what the server said") {
  CHECK(to_error(decode_status(answer(404, status_body(404, "NotFound")))).message ==
        "HTTP 404 NotFound: m");
  CHECK(to_error(decode_status(answer(502, "<html>secret</html>"))).message == "HTTP 502");
}

TEST_CASE("text of others is cut and made printable") {
  CHECK(printable("plain") == "plain");
  CHECK(printable("a\r\nb\x1b[31m\x7f") == "a\\x0d\\x0ab\\x1b[31m\\x7f");
  CHECK(printable(std::string("a\0b", 3)) == "a\\x00b");
  CHECK(printable(std::string(1000, 'x')).size() == 256);
  CHECK(printable("h\xC3\xA9llo", 2) == "h");  // never half a character
  CHECK(printable("h\xC3\xA9llo", 3) == "h\xC3\xA9");
}

}  // namespace
}  // namespace scaledcache::k8s
