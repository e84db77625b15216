#include "http/exchange_reader.h"

#include <vector>

#include <doctest/doctest.h>

namespace scaledcache::http {
namespace {

using namespace std::chrono_literals;

constexpr SteadyTime kPast{};
constexpr SteadyTime kNever = SteadyTime::max();
constexpr auto kNothing = [] {};

// An answer that has come whole: a head with its length, and a body.
void put_answer(Exchange& exchange, int status, const std::string& body) {
  exchange.put_head({status, {{"Content-Length", std::to_string(body.size())}}});
  CHECK(exchange.put_bytes(body, kNothing));
  exchange.finish();
}

TEST_CASE("a whole answer is head and body, and then the exchange has ended") {
  Exchange exchange;
  put_answer(exchange, 404, "not here");
  ExchangeReader reader(exchange);
  CHECK_FALSE(reader.ended());
  const auto response = reader.read_whole({}, kNever, {});
  REQUIRE(response);
  CHECK(response->status == 404);
  CHECK(response->body == "not here");
  CHECK(reader.ended());
}

TEST_CASE("a body that grows beyond the limit of its request is refused") {
  Exchange exchange;
  exchange.put_head({200, {{"Transfer-Encoding", "chunked"}}});
  CHECK(exchange.put_bytes("12345", kNothing));
  ExchangeReader reader(exchange);
  CHECK(reader.read_whole({.max_body_bytes = 4}, kNever, {}).error() ==
        Error{ErrorCode::Protocol, "the body is larger than 4 bytes"});
  CHECK_FALSE(reader.ended());
}

TEST_CASE("a body that still comes at the deadline is cut off") {
  Exchange exchange;
  exchange.put_head({200, {{"Transfer-Encoding", "chunked"}}});
  CHECK(exchange.put_bytes("12345", kNothing));
  ExchangeReader reader(exchange);
  CHECK(reader.read_whole({}, kPast, {}).error() ==
        Error{ErrorCode::Timeout, "the body did not end in time"});
}

TEST_CASE("a stream goes to its sink, until the sink has had enough") {
  Exchange exchange;
  put_answer(exchange, 200, "one");
  ExchangeReader reader(exchange);
  std::vector<std::string> seen;
  const auto enough = [&](std::string_view bytes) {
    seen.emplace_back(bytes);
    return false;
  };
  const auto response = reader.read_stream({}, kNever, 1h, enough, {});
  REQUIRE(response);
  CHECK(response->body.empty());
  CHECK(seen == std::vector<std::string>{"one"});
  CHECK_FALSE(reader.ended());
}

TEST_CASE("what is no stream comes as a body, and the sink hears nothing") {
  Exchange exchange;
  put_answer(exchange, 410, "too old");
  ExchangeReader reader(exchange);
  bool called = false;
  const auto note = [&](std::string_view) { return called = true; };
  const auto response = reader.read_stream({}, kNever, 1h, note, {});
  REQUIRE(response);
  CHECK(response->status == 410);
  CHECK(response->body == "too old");
  CHECK_FALSE(called);
}

TEST_CASE("a stream may be larger than any body") {
  Exchange exchange;
  put_answer(exchange, 200, "12345");
  ExchangeReader reader(exchange);
  std::string seen;
  const auto keep = [&](std::string_view bytes) {
    seen += bytes;
    return true;
  };
  CHECK(reader.read_stream({.max_body_bytes = 1}, kNever, 1h, keep, {}));
  CHECK(seen == "12345");
  CHECK(reader.ended());
}

TEST_CASE("a head that breaks a rule is refused before its body is read") {
  Exchange exchange;
  exchange.put_head({302, {{"Location", "http://elsewhere/"}}});
  ExchangeReader reader(exchange);
  CHECK(reader.read_whole({}, kNever, {}).error().code == ErrorCode::Protocol);
}

}  // namespace
}  // namespace scaledcache::http
