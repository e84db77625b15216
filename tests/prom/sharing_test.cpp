// Several callers at one backend client: what is shared, what is limited, who waits for whom.
#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "prom/answers.h"
#include "prom/backend_client.h"
#include "prom/blocking_transport.h"
#include "support/fake_clock.h"
#include "support/scripted_transport.h"

namespace scaledcache::prom {
namespace {

using std::chrono::seconds;
using support::FakeClock;
using support::json_response;

const Backend kBackend{.url = "http://vm:8428"};

http::Response good_answer() {
  return json_response(200, recorded("prometheus-vector.json"));
}

void wait_until_sharing(const BackendClient& client, std::size_t count) {
  while (client.load().sharing != count) {
    std::this_thread::yield();
  }
}

TEST_CASE("an identical question under way is not sent twice, and all get its answer") {
  FakeClock clock;
  BlockingTransport transport;
  BackendClient client(transport, clock);
  const http::Response response = good_answer();
  std::atomic<int> answered{0};
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 4; ++i) {
      callers.emplace_back([&] { answered += client.query_value(kBackend, "up", {}) ? 1 : 0; });
    }
    wait_until_sharing(client, 3);
    transport.answer(response);
  }
  CHECK(answered == 4);
  CHECK(transport.arrived() == 1);
  transport.answer(response);
  CHECK(client.query_value(kBackend, "up", {}).has_value());
  CHECK(transport.arrived() == 2);
}

TEST_CASE("failures are shared too, and counted once") {
  FakeClock clock;
  BlockingTransport transport;
  BackendClient client(transport, clock);
  std::atomic<int> failed{0};
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 6; ++i) {
      callers.emplace_back([&] {
        const auto answer = client.query_value(kBackend, "up", {});
        failed += !answer && answer.error().code == ErrorCode::Timeout ? 1 : 0;
      });
    }
    wait_until_sharing(client, 5);
    transport.answer(Error{ErrorCode::Timeout, "late"});
  }
  CHECK(failed == 6);
  CHECK(client.load().admission.unreachable_backends == 0);
}

TEST_CASE("questions that differ, or go with other credentials, are sent apart") {
  FakeClock clock;
  BlockingTransport transport;
  BackendClient client(transport, clock);
  const http::Response response = good_answer();
  Backend other = kBackend;
  other.secret_headers.push_back({"Authorization", Secret<std::string>("Bearer x")});
  std::jthread first([&] { (void)client.query_value(kBackend, "up", {}); });
  std::jthread second([&] { (void)client.query_value(kBackend, "down", {}); });
  std::jthread third([&] { (void)client.query_value(other, "up", {}); });
  transport.wait_for_arrivals(3);
  CHECK(client.load().sharing == 0);
  for (int i = 0; i < 3; ++i) {
    transport.answer(response);
  }
}

TEST_CASE("when the caller whose question it is stops, the others ask themselves") {
  FakeClock clock;
  BlockingTransport transport;
  BackendClient client(transport, clock);
  const http::Response response = good_answer();
  std::optional<ErrorCode> stopped;
  std::atomic<bool> answered{false};
  std::jthread first([&](const std::stop_token& stop) {
    stopped = client.query_value(kBackend, "up", stop).error().code;
  });
  transport.wait_for_arrivals(1);
  std::jthread second([&] { answered = client.query_value(kBackend, "up", {}).has_value(); });
  wait_until_sharing(client, 1);
  first.request_stop();
  transport.wait_for_arrivals(2);
  transport.answer(response);
  first.join();
  second.join();
  CHECK(stopped == ErrorCode::Cancelled);
  CHECK(answered);
}

TEST_CASE("a caller that shares can stop without the answer") {
  FakeClock clock;
  BlockingTransport transport;
  BackendClient client(transport, clock);
  const http::Response response = good_answer();
  std::optional<ErrorCode> stopped;
  std::jthread first([&] { (void)client.query_value(kBackend, "up", {}); });
  transport.wait_for_arrivals(1);
  std::jthread second([&](const std::stop_token& stop) {
    stopped = client.query_value(kBackend, "up", stop).error().code;
  });
  wait_until_sharing(client, 1);
  second.request_stop();
  second.join();
  CHECK(stopped == ErrorCode::Cancelled);
  CHECK(transport.arrived() == 1);
  transport.answer(response);
}

TEST_CASE("F3: a backend that is slow to answer leaves the others their turn") {
  FakeClock clock;
  BlockingTransport transport;
  BackendClient client(transport, clock);
  const http::Response response = good_answer();
  std::vector<std::jthread> slow;
  for (int i = 0; i < 8; ++i) {
    slow.emplace_back([&, i] { (void)client.query_value(kBackend, "q" + std::to_string(i), {}); });
  }
  transport.wait_for_arrivals(8);
  clock.advance(seconds(1));
  CHECK(client.query_value(kBackend, "q9", {}).error().code == ErrorCode::RateLimited);
  std::jthread other([&] { (void)client.query_value({.url = "http://fast"}, "up", {}); });
  transport.wait_for_arrivals(9);
  CHECK(client.load().admission.under_way == 9);
  for (int i = 0; i < 9; ++i) {
    transport.answer(response);
  }
}

TEST_CASE("time spent waiting for a turn counts against the deadline") {
  FakeClock clock;
  BlockingTransport transport;
  BackendClient client(transport, clock, {.admission = {.per_backend = 1}});
  const http::Response response = good_answer();
  std::jthread first([&] { (void)client.query_value(kBackend, "one", {}); });
  transport.wait_for_arrivals(1);
  std::jthread second([&] { (void)client.query_value(kBackend, "two", {}); });
  while (client.load().admission.waiting != 1) {
    std::this_thread::yield();
  }
  clock.advance(Milliseconds(700));
  transport.answer(response);
  transport.wait_for_arrivals(2);
  CHECK(transport.last().timeout == Milliseconds(4300));
  transport.answer(response);
}

}  // namespace
}  // namespace scaledcache::prom
