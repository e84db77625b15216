#include "runtime/worker_pool.h"

#include <exception>
#include <utility>

#include "runtime/thread_name.h"

namespace scaledcache {

WorkerPool::WorkerPool(WorkQueue& queue,
                       std::size_t threads,
                       WorkerCallbacks callbacks,
                       std::string name)
    : queue_(queue), callbacks_(std::move(callbacks)), name_(std::move(name)) {
  threads_.reserve(threads);
  for (std::size_t number = 1; number <= threads; ++number) {
    threads_.emplace_back([this, number](const std::stop_token& stop) { run(number, stop); });
  }
}

WorkerPool::~WorkerPool() {
  stop();
}

void WorkerPool::stop() {
  for (std::jthread& thread : threads_) {
    thread.request_stop();
  }
  join();
}

void WorkerPool::drain() {
  queue_.shut_down();
  join();
}

void WorkerPool::join() {
  for (std::jthread& thread : threads_) {
    if (thread.joinable()) {
      thread.join();
    }
  }
}

void WorkerPool::run(std::size_t number, const std::stop_token& stop) {
  set_thread_name(name_ + "-" + std::to_string(number));
  while (const std::optional<std::string> key = queue_.get(stop)) {
    work_on(*key, stop);
    queue_.done(*key);
  }
}

// An exception in one key's work must neither end the process nor leave the key in hand for ever.
void WorkerPool::work_on(const std::string& key, const std::stop_token& stop) {
  try {
    callbacks_.work(key, stop);
  } catch (const std::exception& exception) {
    report(key, exception.what());
  } catch (...) {
    report(key, "unknown exception");
  }
}

void WorkerPool::report(const std::string& key, std::string_view what) {
  exceptions_.fetch_add(1);
  try {
    callbacks_.failed(key, what);
  } catch (...) {  // NOLINT(bugprone-empty-catch): the failure is counted already
  }
}

}  // namespace scaledcache
