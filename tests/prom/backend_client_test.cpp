#include "prom/backend_client.h"

#include <doctest/doctest.h>

#include "prom/answers.h"
#include "support/fake_clock.h"
#include "support/scripted_transport.h"

namespace scaledcache::prom {
namespace {

using std::chrono::seconds;
using support::FakeClock;
using support::json_response;
using support::ScriptedTransport;

const Backend kBackend{.url = "http://vm:8428"};
const std::string kTail = "&partial_response=false&deny_partial_response=1";
const std::string kUpUrl = "http://vm:8428/api/v1/query?query=up" + kTail;
constexpr WallTime kEnd{Milliseconds{1'767'225'600'000}};

void expect_get(ScriptedTransport& transport, std::string url, Result<http::Response> answer) {
  transport.expect({http::Method::Get, std::move(url), "", std::move(answer)});
}

TEST_CASE("a counter is asked for with its matchers and window, and comes with the server's time") {
  FakeClock clock;
  ScriptedTransport transport;
  BackendClient client(transport, clock);
  auto response = json_response(200, recorded("victoriametrics-range.json"));
  response.headers = {{"content-type", "application/stream+json; charset=utf-8"},
                      {"date", "Mon, 30 Nov 2026 18:15:30 GMT"}};
  expect_get(transport,
             "http://vm:8428/api/v1/query?query="
             "varnish_main_client_req%7Bnamespace%3D%22blog%22%7D%5B70s%5D" +
                 kTail,
             response);
  const auto answer = client.query_counter(
      kBackend, {"varnish_main_client_req", {{"namespace", "=", "blog"}}, seconds(70)}, {});
  REQUIRE(answer.has_value());
  CHECK(answer->series.size() == 2);
  CHECK_FALSE(answer->partial);
  CHECK(answer->server_time == WallTime{seconds(1'796'062'530)});
  CHECK(transport.sent().front().max_body_bytes == std::size_t{16} << 20);
}

TEST_CASE("a query gives one number, without a server's time where the backend tells none") {
  FakeClock clock;
  ScriptedTransport transport;
  BackendClient client(transport, clock);
  expect_get(transport, kUpUrl, json_response(200, recorded("prometheus-vector.json")));
  const auto answer = client.query_value(kBackend, "up", {});
  REQUIRE(answer.has_value());
  CHECK(answer->fault == core::Fault::None);
  CHECK(answer->value == 74);
  CHECK_FALSE(answer->server_time.has_value());
}

TEST_CASE("history is one series of numbers; several are refused") {
  FakeClock clock;
  ScriptedTransport transport;
  BackendClient client(transport, clock);
  const std::string url =
      "http://vm:8428/api/v1/query_range?query=up&start=1767225592.000"
      "&end=1767225600.000&step=2.000" +
      kTail;
  const RangeQuery query{"up", kEnd - seconds(8), kEnd, seconds(2)};
  expect_get(transport, url, json_response(200, recorded("prometheus-history.json")));
  const auto answer = client.query_range_values(kBackend, query, {});
  REQUIRE(answer.has_value());
  REQUIRE(answer->samples.size() == 5);
  CHECK(answer->samples.back().value == 74);
  expect_get(transport, url, json_response(200, recorded("prometheus-range.json")));
  CHECK(client.query_range_values(kBackend, query, {}).error().code == ErrorCode::Protocol);
}

TEST_CASE("F2: every way to fail keeps its code, and no text of the backend") {
  struct Row {
    const char* name;
    Result<http::Response> answer;
    ErrorCode want;
  };

  const Row rows[] = {
      {"a bad query", json_response(422, R"({"error":"hunter2"})"), ErrorCode::Invalid},
      {"a bad query under HTTP 200", json_response(200, recorded("prometheus-error.json")),
       ErrorCode::Invalid},
      {"credentials missing", json_response(401, "hunter2"), ErrorCode::Unauthorized},
      {"overload", json_response(503, "hunter2"), ErrorCode::Unavailable},
      {"a login page", http::Response{200, {{"Content-Type", "text/html"}}, "hunter2"},
       ErrorCode::Protocol},
      {"an empty answer", json_response(200, recorded("prometheus-empty.json")), ErrorCode::NoData},
      {"half an answer", json_response(200, R"({"status":"succ)"), ErrorCode::Protocol},
      {"no connection", Error{ErrorCode::Unavailable, "refused"}, ErrorCode::Unavailable},
      {"no answer in time", Error{ErrorCode::Timeout, "late"}, ErrorCode::Timeout},
      {"an address that is not allowed", Error{ErrorCode::Forbidden, "no"}, ErrorCode::Forbidden},
  };
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      FakeClock clock;
      ScriptedTransport transport;
      BackendClient client(transport, clock);
      expect_get(transport, kUpUrl, row.answer);
      const auto answer = client.query_value(kBackend, "up", {});
      REQUIRE_FALSE(answer.has_value());
      CHECK(answer.error().code == row.want);
      CHECK(answer.error().message.find("hunter2") == std::string::npos);
    }
  }
}

TEST_CASE("a broken question is refused without being sent") {
  FakeClock clock;
  ScriptedTransport transport;
  BackendClient client(transport, clock);
  CHECK(client.query_counter(kBackend, {"a b", {}, seconds(30)}, {}).error().code ==
        ErrorCode::Invalid);
  CHECK(client.query_counter({.url = "vm"}, {"m", {}, seconds(30)}, {}).error().code ==
        ErrorCode::Invalid);
  CHECK(transport.sent().empty());
}

TEST_CASE("a backend that cannot be reached is not asked again until a probe is due") {
  FakeClock clock;
  ScriptedTransport transport;
  BackendClient client(transport, clock);
  for (int i = 0; i < 5; ++i) {
    const ErrorCode code = i % 2 == 0 ? ErrorCode::Unavailable : ErrorCode::Timeout;
    expect_get(transport, kUpUrl, Error{code, "gone"});
    CHECK(client.query_value(kBackend, "up", {}).error().code == code);
  }
  const auto refused = client.query_value(kBackend, "up", {});
  CHECK(refused.error().code == ErrorCode::Unavailable);
  CHECK(refused.error().retry_after == seconds(1));
  CHECK(transport.sent().size() == 5);
  CHECK(client.load().admission.unreachable_backends == 1);
  clock.advance(seconds(1));
  expect_get(transport, kUpUrl, json_response(200, recorded("prometheus-vector.json")));
  CHECK(client.query_value(kBackend, "up", {}).has_value());
  CHECK(client.load().admission.unreachable_backends == 0);
}

TEST_CASE("answers that are errors never make a backend unreachable") {
  const Result<http::Response> answers[] = {json_response(503, ""), json_response(200, "{"),
                                            Error{ErrorCode::Protocol, "broken chunks"},
                                            Error{ErrorCode::Forbidden, "not allowed"}};
  for (const auto& answer : answers) {
    FakeClock clock;
    ScriptedTransport transport;
    BackendClient client(transport, clock);
    for (int i = 0; i < 6; ++i) {
      expect_get(transport, kUpUrl, answer);
      CHECK_FALSE(client.query_value(kBackend, "up", {}).has_value());
    }
    CHECK(client.load().admission.unreachable_backends == 0);
  }
}

TEST_CASE("a caller that is stopping asks nothing") {
  FakeClock clock;
  ScriptedTransport transport;
  BackendClient client(transport, clock);
  std::stop_source stop;
  stop.request_stop();
  CHECK(client.query_value(kBackend, "up", stop.get_token()).error().code == ErrorCode::Cancelled);
}

}  // namespace
}  // namespace scaledcache::prom
