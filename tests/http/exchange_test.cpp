#include "http/exchange.h"

#include <thread>

#include <doctest/doctest.h>

namespace scaledcache::http {
namespace {

constexpr SteadyTime kPast{};
constexpr SteadyTime kNever = SteadyTime::max();
constexpr auto kNothing = [] {};

TEST_CASE("head, bytes and end are taken in order, bytes in one piece") {
  Exchange exchange;
  exchange.put_head({200, {}});
  CHECK(exchange.put_bytes("ab", kNothing));
  CHECK(exchange.put_bytes("c", kNothing));
  exchange.finish();
  CHECK(exchange.take_head(kPast, {}).value().status == 200);
  CHECK(exchange.take_bytes(kPast, {}).value() == "abc");
  CHECK(exchange.take_bytes(kPast, {}).value() == std::nullopt);
}

TEST_CASE("bytes that came before a failure are handed out before it") {
  Exchange exchange;
  exchange.put_head({200, {}});
  CHECK(exchange.put_bytes("ab", kNothing));
  exchange.fail({ErrorCode::Unavailable, "cut"});
  CHECK(exchange.take_bytes(kPast, {}).value() == "ab");
  CHECK(exchange.take_bytes(kPast, {}).error() == Error{ErrorCode::Unavailable, "cut"});
}

TEST_CASE("a failure before the head is the head's") {
  Exchange exchange;
  exchange.fail({ErrorCode::Unavailable, "refused"});
  CHECK(exchange.take_head(kPast, {}).error() == Error{ErrorCode::Unavailable, "refused"});
}

TEST_CASE("the first end stands") {
  Exchange exchange;
  exchange.finish();
  exchange.fail({ErrorCode::Unavailable, "late"});
  CHECK(exchange.take_bytes(kPast, {}).value() == std::nullopt);
}

TEST_CASE("a passed deadline is Timeout, a stop is Cancelled") {
  Exchange exchange;
  std::stop_source stop;
  CHECK(exchange.take_head(kPast, stop.get_token()).error().code == ErrorCode::Timeout);
  CHECK(exchange.take_bytes(kPast, stop.get_token()).error().code == ErrorCode::Timeout);
  stop.request_stop();
  CHECK(exchange.take_head(kNever, stop.get_token()).error().code == ErrorCode::Cancelled);
  CHECK(exchange.take_bytes(kNever, stop.get_token()).error().code == ErrorCode::Cancelled);
}

TEST_CASE("a stop wakes a reader that waits") {
  Exchange exchange;
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  CHECK(exchange.take_head(kNever, stop.get_token()).error().code == ErrorCode::Cancelled);
}

TEST_CASE("a writer far ahead of its reader is held back until the reader has caught up") {
  Exchange exchange;
  int drained = 0;
  const auto count = [&] { ++drained; };
  CHECK(exchange.put_bytes("small", count));
  CHECK(drained == 1);
  CHECK(exchange.put_bytes(std::string(std::size_t{1} << 20, 'x'), count));
  CHECK(drained == 1);
  CHECK(exchange.take_bytes(kPast, {}).value()->size() == 5 + (std::size_t{1} << 20));
  CHECK(drained == 2);
}

TEST_CASE("a reader that leaves frees a writer held back and refuses what comes later") {
  Exchange exchange;
  int drained = 0;
  const auto count = [&] { ++drained; };
  CHECK(exchange.put_bytes(std::string(std::size_t{1} << 20, 'x'), count));
  exchange.abandon();
  CHECK(drained == 1);
  CHECK_FALSE(exchange.put_bytes("more", count));
  CHECK(drained == 1);
}

}  // namespace
}  // namespace scaledcache::http
