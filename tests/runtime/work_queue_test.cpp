#include "runtime/work_queue.h"

#include <array>
#include <atomic>
#include <map>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "support/fake_clock.h"

namespace scaledcache {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using support::FakeClock;

// A get() of a queue with nothing ready would wait for ever, so depth() is asked first.
std::string take(WorkQueue& queue) {
  if (queue.depth() == 0) {
    return "(nothing ready)";
  }
  return queue.get({}).value_or("(nothing)");
}

TEST_CASE("keys come out in the order in which they were first asked for, each once") {
  FakeClock clock;
  WorkQueue queue(clock);
  queue.add("b");
  queue.add("a");
  queue.add("b");
  CHECK(queue.depth() == 2);
  CHECK(take(queue) == "b");
  CHECK(take(queue) == "a");
  CHECK(take(queue) == "(nothing ready)");
}

TEST_CASE("a key added while it is in hand waits for done, then runs once more") {
  FakeClock clock;
  WorkQueue queue(clock);
  queue.add("a");
  CHECK(take(queue) == "a");
  queue.add("a");
  queue.add("a");
  CHECK(take(queue) == "(nothing ready)");
  queue.done("a");
  CHECK(take(queue) == "a");
  queue.done("a");
  CHECK(take(queue) == "(nothing ready)");
}

TEST_CASE("done for a key that nobody holds changes nothing") {
  FakeClock clock;
  WorkQueue queue(clock);
  queue.done("a");
  queue.add("a");
  queue.done("a");
  CHECK(queue.depth() == 1);
}

TEST_CASE("a delayed key comes when its time has come") {
  FakeClock clock;
  WorkQueue queue(clock);
  queue.add_after("a", seconds(5));
  queue.add("now");
  CHECK(queue.get({}) == "now");
  CHECK(queue.depth() == 0);
  clock.advance(Milliseconds(5000));
  CHECK(queue.get({}) == "a");
}

TEST_CASE("of two delayed adds of a key the earlier one counts, in either order") {
  for (const auto& [first, second] : {std::pair{30, 5}, std::pair{5, 30}}) {
    CAPTURE(first);
    FakeClock clock;
    WorkQueue queue(clock);
    queue.add_after("a", seconds(first));
    queue.add_after("a", seconds(second));
    clock.advance(seconds(5));
    CHECK(queue.get({}) == "a");
    queue.done("a");
    clock.advance(seconds(60));
    queue.add("probe");
    CHECK(queue.get({}) == "probe");
    CHECK(queue.depth() == 0);
  }
}

TEST_CASE("delays of zero, less than zero and beyond the clock's range are safe") {
  FakeClock clock;
  WorkQueue queue(clock);
  queue.add_after("zero", Milliseconds(0));
  queue.add_after("negative", Milliseconds(-1));
  queue.add_after("never", Milliseconds::max());
  CHECK(queue.depth() == 2);
  CHECK(take(queue) == "zero");
  CHECK(take(queue) == "negative");
  clock.advance(hours(24 * 365));
  CHECK(queue.get({}) == "never");
}

TEST_CASE("an immediate add leaves a later one in place") {
  FakeClock clock;
  WorkQueue queue(clock);
  queue.add_after("a", seconds(5));
  queue.add("a");
  CHECK(take(queue) == "a");
  queue.done("a");
  clock.advance(seconds(5));
  CHECK(queue.get({}) == "a");
}

TEST_CASE("a key that falls due while it is in hand runs once more after done") {
  FakeClock clock;
  WorkQueue queue(clock);
  queue.add_after("a", seconds(1));
  queue.add("a");
  CHECK(take(queue) == "a");
  clock.advance(seconds(1));
  queue.add("b");
  CHECK(queue.get({}) == "b");
  CHECK(queue.depth() == 0);
  queue.done("a");
  CHECK(queue.get({}) == "a");
}

TEST_CASE("a stopped get takes nothing, though a key is ready") {
  FakeClock clock;
  WorkQueue queue(clock);
  std::stop_source stop;
  stop.request_stop();
  queue.add("a");
  CHECK_FALSE(queue.get(stop.get_token()).has_value());
  CHECK(take(queue) == "a");
}

TEST_CASE("a queue that is shut down hands out what is ready, drops delays and takes no more") {
  FakeClock clock;
  WorkQueue queue(clock);
  queue.add("ready");
  queue.add_after("later", seconds(1));
  queue.shut_down();
  queue.add("new");
  queue.add_after("new", seconds(1));
  CHECK(queue.get({}) == "ready");
  clock.advance(seconds(10));
  CHECK_FALSE(queue.get({}).has_value());
}

TEST_CASE("the age of the oldest key in hand is known") {
  FakeClock clock;
  WorkQueue queue(clock);
  queue.add("a");
  queue.add("b");
  CHECK_FALSE(queue.oldest_in_flight().has_value());
  CHECK(take(queue) == "a");
  clock.advance(seconds(7));
  CHECK(take(queue) == "b");
  clock.advance(seconds(1));
  CHECK(queue.oldest_in_flight() == Milliseconds(8000));
  queue.done("a");
  CHECK(queue.oldest_in_flight() == Milliseconds(1000));
  queue.done("b");
  CHECK_FALSE(queue.oldest_in_flight().has_value());
}

// Threads that wait are woken by each kind of news; a wake-up that goes missing hangs the test.

TEST_CASE("waiting threads wake for an add, for a due key and for an earlier delay") {
  FakeClock clock;
  WorkQueue queue(clock);
  std::atomic<int> taken{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&](const std::stop_token& stop) {
        while (const auto key = queue.get(stop)) {
          queue.done(*key);
          ++taken;
          taken.notify_all();
        }
      });
    }
    const auto wait_for = [&](int count) {
      for (int seen = taken; seen < count; seen = taken) {
        taken.wait(seen);
      }
    };
    queue.add("a");
    wait_for(1);
    queue.add_after("late", hours(1));
    queue.add_after("early", seconds(5));
    clock.advance(seconds(5));
    wait_for(2);
    queue.add("b");
    wait_for(3);
    clock.advance(hours(1));
    wait_for(4);
  }
  CHECK(taken == 4);
}

TEST_CASE("shutting down wakes threads that wait, the one that watches the clock too") {
  FakeClock clock;
  WorkQueue queue(clock);
  std::atomic<int> ended{0};
  queue.add_after("never", hours(1));
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        const bool took = queue.get({}).has_value();
        ended += took ? 100 : 1;
      });
    }
    queue.shut_down();
  }
  CHECK(ended == 3);
}

TEST_CASE("four threads adding 10,000 times: never twice at once, and no last add is lost") {
  constexpr int kKeys = 16;
  constexpr int kAddsPerThread = 10'000;
  FakeClock clock;
  WorkQueue queue(clock);
  std::array<std::atomic<int>, kKeys> asked{};     // raised before each add
  std::array<std::atomic<int>, kKeys> answered{};  // what a worker saw of it when it ran
  std::array<std::atomic<int>, kKeys> in_hand{};
  std::atomic<int> overlaps{0};
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < 4; ++i) {
      workers.emplace_back([&] {
        while (const auto key = queue.get({})) {
          const auto k = static_cast<std::size_t>(std::stoi(*key));
          overlaps += in_hand[k].fetch_add(1) == 0 ? 0 : 1;
          answered[k] = asked[k].load();
          in_hand[k].fetch_sub(1);
          queue.done(*key);
        }
      });
    }
    {
      std::vector<std::jthread> adders;
      for (int i = 0; i < 4; ++i) {
        adders.emplace_back([&, i] {
          for (int n = 0; n < kAddsPerThread; ++n) {
            const int k = (n * 7 + i) % kKeys;
            asked[static_cast<std::size_t>(k)].fetch_add(1);
            if (n % 3 == 0) {
              queue.add_after(std::to_string(k), Milliseconds(n % 5));
              clock.advance(Milliseconds(1));
            } else {
              queue.add(std::to_string(k));
            }
          }
        });
      }
    }
    clock.advance(Milliseconds(5));
    for (std::size_t k = 0; k < kKeys; ++k) {
      while (answered[k] != asked[k]) {
        std::this_thread::yield();
      }
    }
    queue.shut_down();
  }
  CHECK(overlaps == 0);
  int total = 0;
  for (std::size_t k = 0; k < kKeys; ++k) {
    CHECK(answered[k] == asked[k]);
    total += asked[k];
  }
  CHECK(total == 4 * kAddsPerThread);
  CHECK(queue.depth() == 0);
}

}  // namespace
}  // namespace scaledcache
