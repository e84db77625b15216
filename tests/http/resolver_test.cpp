#include "http/resolver.h"

#include <atomic>
#include <latch>
#include <thread>

#include <doctest/doctest.h>

namespace scaledcache::http {
namespace {

// Made anew for each caller: a look-up may outlive the test, and so every static object.
std::vector<Address> some_answer() {
  return {*parse_address("192.0.2.1"), *parse_address("2001:db8::1")};
}

constexpr Milliseconds kSoon{50};
constexpr Milliseconds kLate{300'000};

TEST_CASE("a name gives all its addresses") {
  SystemResolver resolver(1, [](const std::string& host) -> Result<std::vector<Address>> {
    CHECK(host == "vm.example");
    return some_answer();
  });
  for (int i = 0; i < 3; ++i) {
    CHECK(resolver.resolve("vm.example", kLate, {}).value() == some_answer());
  }
}

TEST_CASE("a failed look-up is passed on") {
  SystemResolver resolver(1, [](const std::string&) -> Result<std::vector<Address>> {
    return Error{ErrorCode::Unavailable, "no such name"};
  });
  CHECK(resolver.resolve("vm", kLate, {}).error().message == "no such name");
}

TEST_CASE("E4: the deadline holds while look-ups hang, and a later one works again") {
  auto release = std::make_shared<std::latch>(1);
  SystemResolver resolver(1, [release](const std::string&) -> Result<std::vector<Address>> {
    release->wait();
    return some_answer();
  });
  CHECK(resolver.resolve("hangs", kSoon, {}).error().code == ErrorCode::Timeout);
  // The only slot is taken: this caller never gets a look-up of its own.
  CHECK(resolver.resolve("waits", kSoon, {}).error().code == ErrorCode::Timeout);
  release->count_down();
  CHECK(resolver.resolve("works", kLate, {}).value() == some_answer());
}

TEST_CASE("a caller that is stopped leaves at once") {
  auto release = std::make_shared<std::latch>(1);
  auto started = std::make_shared<std::latch>(1);
  SystemResolver resolver(1,
                          [release, started](const std::string&) -> Result<std::vector<Address>> {
                            started->count_down();
                            release->wait();
                            return some_answer();
                          });
  std::stop_source stop;
  std::jthread stopper([&] {
    started->wait();
    stop.request_stop();
  });
  CHECK(resolver.resolve("hangs", kLate, stop.get_token()).error().code == ErrorCode::Cancelled);
  release->count_down();
}

TEST_CASE("the resolver may go while a look-up hangs") {
  auto release = std::make_shared<std::latch>(1);
  auto finished = std::make_shared<std::latch>(1);
  {
    SystemResolver resolver(
        1, [release, finished](const std::string&) -> Result<std::vector<Address>> {
          release->wait();
          finished->count_down();
          return some_answer();
        });
    CHECK(resolver.resolve("hangs", kSoon, {}).error().code == ErrorCode::Timeout);
  }
  release->count_down();
  finished->wait();
}

TEST_CASE("getaddrinfo resolves localhost and refuses what is no name") {
  const auto addresses = look_up("localhost");
  REQUIRE(addresses);
  for (const Address& address : *addresses) {
    CHECK_MESSAGE(
        AddressPolicy{}.judge(address).error().message.find("loopback") != std::string::npos,
        to_string(address));
  }
  CHECK(look_up(std::string(300, 'a')).error().code == ErrorCode::Unavailable);
}

}  // namespace
}  // namespace scaledcache::http
