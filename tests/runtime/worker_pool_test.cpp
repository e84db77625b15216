#include "runtime/worker_pool.h"

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>

#include <doctest/doctest.h>

#include "runtime/thread_name.h"
#include "support/fake_clock.h"

namespace scaledcache {
namespace {

using support::FakeClock;

void ignore_failure(const std::string&, std::string_view) {}

TEST_CASE("draining works on every ready key, on threads with the pool's names") {
  FakeClock clock;
  WorkQueue queue(clock);
  std::mutex mutex;
  std::set<std::string> worked;
  std::set<std::string> names;
  for (int i = 0; i < 100; ++i) {
    queue.add(std::to_string(i));
  }
  WorkerPool pool(queue, 3,
                  {[&](const std::string& key, std::stop_token) {
                     std::lock_guard lock(mutex);
                     worked.insert(key);
                     names.insert(thread_name());
                   },
                   ignore_failure});
  pool.drain();
  CHECK(worked.size() == 100);
  for (const std::string& name : names) {
    CHECK_MESSAGE((name == "sc-worker-1" || name == "sc-worker-2" || name == "sc-worker-3"), name);
  }
}

TEST_CASE("an exception is counted and reported, the key is handed back, the thread lives on") {
  FakeClock clock;
  WorkQueue queue(clock);
  std::vector<std::string> reports;
  int worked = 0;
  queue.add("std");
  queue.add("other");
  queue.add("good");
  WorkerPool pool(queue, 1,
                  {[&](const std::string& key, std::stop_token) {
                     if (key == "std") {
                       throw std::runtime_error("broken");
                     }
                     if (key == "other") {
                       throw 7;
                     }
                     ++worked;
                   },
                   [&](const std::string& key, std::string_view what) {
                     reports.push_back(key + ": " + std::string(what));
                     throw std::runtime_error("the report failed as well");
                   }});
  pool.drain();
  CHECK(worked == 1);
  CHECK(pool.exceptions() == 2);
  CHECK(reports == std::vector<std::string>{"std: broken", "other: unknown exception"});
  CHECK_FALSE(queue.oldest_in_flight().has_value());
}

TEST_CASE("a key asked for again by the failure report runs again") {
  FakeClock clock;
  WorkQueue queue(clock);
  std::atomic<int> runs{0};
  queue.add("a");
  WorkerPool pool(queue, 2,
                  {[&](const std::string&, std::stop_token) {
                     if (runs.fetch_add(1) == 0) {
                       throw std::runtime_error("first run");
                     }
                     runs.notify_all();
                   },
                   [&](const std::string& key, std::string_view) { queue.add(key); }});
  for (int seen = runs; seen < 2; seen = runs) {
    std::this_thread::yield();
  }
  pool.drain();
  CHECK(runs == 2);
}

TEST_CASE("stopping reaches work in progress and leaves ready keys in the queue") {
  FakeClock clock;
  WorkQueue queue(clock);
  std::atomic<bool> started{false};
  queue.add("slow");
  WorkerPool pool(queue, 1,
                  {[&](const std::string&, std::stop_token stop) {
                     started = true;
                     started.notify_all();
                     clock.wait_for(std::chrono::hours(1), std::move(stop));
                   },
                   ignore_failure});
  started.wait(false);
  queue.add("ready");
  pool.stop();
  CHECK(queue.depth() == 1);
  CHECK_FALSE(queue.oldest_in_flight().has_value());
}

}  // namespace
}  // namespace scaledcache
