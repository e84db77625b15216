// The threads that take keys from the queue and have them worked on.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/work_queue.h"

namespace scaledcache {

struct WorkerCallbacks {
  // Works on one key; called from many threads, never twice at once for one key. `stop` is
  // requested when the pool is told to stop.
  std::function<void(const std::string& key, std::stop_token stop)> work;

  // Called when `work` let an exception out, before the key is handed back, so that it can be asked
  // for again later. `what` may hold any text. What it throws itself is swallowed.
  std::function<void(const std::string& key, std::string_view what)> failed;
};

// The public functions are for one thread, the owner's; exceptions() is for any.
class WorkerPool {
 public:
  // Starts `threads` threads named sc-worker-1, sc-worker-2, … `queue` must outlive the pool.
  WorkerPool(WorkQueue& queue,
             std::size_t threads,
             WorkerCallbacks callbacks,
             std::string name = "sc-worker");
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Stops.
  ~WorkerPool();

  // Tells work in progress to stop, and returns when no thread is left; ready keys stay queued.
  void stop();

  // Shuts the queue down, and returns when what was ready has been worked on.
  void drain();

  // How many times `work` let an exception out.
  [[nodiscard]] std::uint64_t exceptions() const { return exceptions_.load(); }

 private:
  void run(std::size_t number, const std::stop_token& stop);
  void work_on(const std::string& key, const std::stop_token& stop);
  void report(const std::string& key, std::string_view what);
  void join();

  WorkQueue& queue_;
  const WorkerCallbacks callbacks_;
  const std::string name_;  // of the threads, without their number
  std::atomic<std::uint64_t> exceptions_{0};
  std::vector<std::jthread> threads_;  // last: its threads use all of the above
};

}  // namespace scaledcache
