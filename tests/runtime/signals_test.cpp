#include "runtime/signals.h"

#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

namespace scaledcache {
namespace {

// Runs `body` in a child process and gives its exit code; 128 + the signal where one killed it.
template <class Body>
int exit_code_of(Body body) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    _exit(body());
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_CASE("the first signal ends the wait, and says which it was") {
  for (const int signal : {SIGTERM, SIGINT}) {
    CAPTURE(signal);
    TerminationSignals signals;
    raise(signal);
    CHECK(signals.wait({}) == signal);
  }
}

TEST_CASE("a stop request ends the wait without a signal") {
  TerminationSignals signals;
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  CHECK_FALSE(signals.wait(stop.get_token()).has_value());
}

TEST_CASE("a wait that a stop request ended can be followed by one for a signal") {
  TerminationSignals signals;
  std::stop_source stop;
  stop.request_stop();
  CHECK_FALSE(signals.wait(stop.get_token()).has_value());
  raise(SIGTERM);
  CHECK(signals.wait({}) == SIGTERM);
}

TEST_CASE("the second signal ends the process with exit code 1") {
  CHECK(exit_code_of([] {
          TerminationSignals signals;
          raise(SIGTERM);
          if (signals.wait({}) != SIGTERM) {
            return 2;
          }
          raise(SIGINT);
          return 3;
        }) == 1);
}

TEST_CASE("writing to a peer that hung up does not end the process") {
  CHECK(exit_code_of([] {
          const TerminationSignals signals;
          raise(SIGPIPE);
          return 0;
        }) == 0);
}

TEST_CASE("afterwards signals do again what they did before") {
  CHECK(exit_code_of([] {
          std::signal(SIGTERM, SIG_DFL);  // the test runner has a handler of its own
          {
            TerminationSignals signals;
            raise(SIGTERM);
            if (signals.wait({}) != SIGTERM) {
              return 2;
            }
          }
          raise(SIGTERM);
          return 3;
        }) == 128 + SIGTERM);
}

}  // namespace
}  // namespace scaledcache
