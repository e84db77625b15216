#include "prom/admission.h"

#include <atomic>
#include <optional>
#include <thread>

#include <doctest/doctest.h>

#include "support/fake_clock.h"

namespace scaledcache::prom {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using support::FakeClock;
using Outcome = CircuitBreaker::Outcome;

const Backend kBackend{.url = "http://vm:8428"};
const Backend kOther{.url = "http://other:8428"};

void wait_until_waiting(const Admission& admission, std::size_t count) {
  while (admission.load().waiting != count) {
    std::this_thread::yield();
  }
}

TEST_CASE("a slow backend that is full is refused at once, others are not") {
  FakeClock clock;
  Admission admission(clock, {.per_backend = 2});
  const auto first = admission.enter(kBackend, {});
  const auto second = admission.enter(kBackend, {});
  clock.advance(seconds(1));
  CHECK(admission.enter(kBackend, {}).error().code == ErrorCode::RateLimited);
  CHECK(admission.enter(kOther, {}).has_value());
  CHECK(admission.load().under_way == 2);
}

TEST_CASE("the limit over all backends holds") {
  FakeClock clock;
  Admission admission(clock, {.in_all = 2, .patience = Milliseconds(0)});
  const auto first = admission.enter(kBackend, {});
  {
    const auto second = admission.enter(kOther, {});
    CHECK(admission.enter({.url = "http://third"}, {}).error().code == ErrorCode::RateLimited);
  }
  CHECK(admission.enter({.url = "http://third"}, {}).has_value());
}

TEST_CASE("whoever waits gets in when a query ends") {
  FakeClock clock;
  Admission admission(clock, {.per_backend = 1});
  std::optional<Admission::Pass> first(admission.enter(kBackend, {}).value());
  std::atomic<bool> entered{false};
  std::jthread waiter([&] { entered = admission.enter(kBackend, {}).has_value(); });
  wait_until_waiting(admission, 1);
  first.reset();
  waiter.join();
  CHECK(entered);
  CHECK(admission.load().under_way == 0);
}

TEST_CASE("waiting ends when patience is over, counted from the oldest query") {
  FakeClock clock;
  Admission admission(clock, {.per_backend = 1});
  const auto first = admission.enter(kBackend, {});
  clock.advance(Milliseconds(400));
  std::optional<ErrorCode> refused;
  std::jthread waiter([&] { refused = admission.enter(kBackend, {}).error().code; });
  wait_until_waiting(admission, 1);
  clock.advance(Milliseconds(600));
  waiter.join();
  CHECK(refused == ErrorCode::RateLimited);
}

TEST_CASE("waiting ends when the caller is told to stop") {
  FakeClock clock;
  Admission admission(clock, {.per_backend = 1});
  const auto first = admission.enter(kBackend, {});
  std::optional<ErrorCode> refused;
  std::jthread waiter(
      [&](const std::stop_token& stop) { refused = admission.enter(kBackend, stop).error().code; });
  wait_until_waiting(admission, 1);
  waiter.request_stop();
  waiter.join();
  CHECK(refused == ErrorCode::Cancelled);
  CHECK(admission.load().waiting == 0);
}

TEST_CASE("an unreachable backend is left alone, and tried again within a poll") {
  FakeClock clock;
  Admission admission(clock, {});
  for (int i = 0; i < 5; ++i) {
    admission.enter(kBackend, {}).value().set_outcome(Outcome::Unreachable);
  }
  const auto refused = admission.enter(kBackend, {});
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::Unavailable);
  CHECK(refused.error().retry_after == seconds(1));
  CHECK(admission.load().unreachable_backends == 1);
  CHECK(admission.enter(kOther, {}).has_value());
  clock.advance(seconds(1));
  {
    auto probe = admission.enter(kBackend, {});
    REQUIRE(probe.has_value());
    CHECK(admission.enter(kBackend, {}).error().code == ErrorCode::Unavailable);
    probe->set_outcome(Outcome::Answered);
  }
  CHECK(admission.enter(kBackend, {}).has_value());
  CHECK(admission.load().unreachable_backends == 0);
}

TEST_CASE("whoever waits at a backend that turns out unreachable is told so") {
  FakeClock clock;
  Admission admission(clock, {.per_backend = 1});
  for (int i = 0; i < 4; ++i) {
    admission.enter(kBackend, {}).value().set_outcome(Outcome::Unreachable);
  }
  std::optional<Admission::Pass> fifth(admission.enter(kBackend, {}).value());
  std::optional<ErrorCode> refused;
  std::jthread waiter([&] { refused = admission.enter(kBackend, {}).error().code; });
  wait_until_waiting(admission, 1);
  fifth->set_outcome(Outcome::Unreachable);
  fifth.reset();
  waiter.join();
  CHECK(refused == ErrorCode::Unavailable);
}

TEST_CASE("one tenant's settings do not make the backend unreachable for another's") {
  const Backend plain = kBackend;

  struct Row {
    const char* name;
    Backend backend;
    bool same;
  };

  const auto secret = [](std::string value) {
    return std::vector{SecretHeader{"Authorization", Secret<std::string>(std::move(value))}};
  };
  const Row rows[] = {
      {"the poll interval", {.url = plain.url, .poll_interval = minutes(1)}, true},
      {"the time-out", {.url = plain.url, .timeout = Milliseconds(1)}, false},
      {"a header", {.url = plain.url, .headers = {{"a", "b"}}}, false},
      {"a secret", {.url = plain.url, .secret_headers = secret("x")}, false},
      {"a parameter", {.url = plain.url, .parameters = {{"a", "b"}}}, false},
      {"the path", {.url = plain.url + "/x"}, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CHECK((identity_of(plain) == identity_of(row.backend)) == row.same);
  }
  CHECK(identity_of({.url = "u", .headers = {{"a", "b"}}}) !=
        identity_of({.url = "u", .parameters = {{"a", "b"}}}));
}

TEST_CASE("backends that nobody asks any more are forgotten, failing ones after ten minutes") {
  FakeClock clock;
  Admission admission(clock, {});
  const auto fail_once = [&](const std::string& url) {
    for (int i = 0; i < 5; ++i) {
      admission.enter({.url = url}, {}).value().set_outcome(Outcome::Unreachable);
    }
  };
  for (int i = 0; i < 256; ++i) {
    fail_once("http://gone-" + std::to_string(i));
  }
  CHECK(admission.load().unreachable_backends == 256);
  clock.advance(minutes(11));
  CHECK(admission.enter(kBackend, {}).has_value());
  CHECK(admission.load().unreachable_backends == 0);
}

}  // namespace
}  // namespace scaledcache::prom
