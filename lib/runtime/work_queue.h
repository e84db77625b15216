// The queue of keys that want a look. It remembers that a key needs work, never how often it was
// asked for: four promises hold, whatever the threads do.
//   1. A key is never in two hands at once.
//   2. A key added while it is being worked on runs once more after done().
//   3. Of two delayed adds of a key the earlier one counts.
//   4. No add is lost while the queue is open.
#pragma once

#include <condition_variable>
#include <deque>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"

namespace scaledcache {

// Thread safe.
class WorkQueue {
 public:
  // `clock` must outlive the queue.
  explicit WorkQueue(Clock& clock) : clock_(clock) {}

  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;
  ~WorkQueue() = default;

  // Asks for one look at `key`, now. An earlier delayed add stays: it keeps the key's rhythm.
  void add(const std::string& key);

  // Asks for a look once `delay` has passed; zero or less means now, and more than a year means a
  // year. Where an add of the key is already waiting for its time, the earlier of the two stays.
  void add_after(const std::string& key, Milliseconds delay);

  // Blocks until a key is ready and takes it; the caller owes a done(). Nothing once `stop` is
  // requested, or once the queue is shut down and empty.
  [[nodiscard]] std::optional<std::string> get(const std::stop_token& stop);

  // Hands back a key that get() gave; does nothing for any other.
  void done(const std::string& key);

  // Takes no more adds and forgets those that wait for their time; get() still hands out what is
  // ready, then nothing.
  void shut_down();

  // Keys that are ready and in nobody's hands.
  [[nodiscard]] std::size_t depth() const;

  // How long the key that has been in hand longest has been there; nothing if none is. A value
  // beyond any deadline means that a worker hangs.
  [[nodiscard]] std::optional<Milliseconds> oldest_in_flight() const;

 private:
  // Whom to wake; sent after the lock is gone.
  struct Call {
    bool anyone = false;
    std::optional<std::stop_source> timekeeper{};  // instead of one of the idle
  };

  void push_due() REQUIRES(mutex_);
  [[nodiscard]] std::string pop_ready() REQUIRES(mutex_);
  [[nodiscard]] bool has_news() const REQUIRES(mutex_);
  [[nodiscard]] Call choose_call() const REQUIRES(mutex_);
  void send(Call call) EXCLUDES(mutex_);
  void wait_for_news(MutexLock& lock, const std::stop_token& stop) REQUIRES(mutex_);
  void keep_time(MutexLock& lock, const std::stop_token& stop) REQUIRES(mutex_);

  Clock& clock_;

  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::string> order_ GUARDED_BY(mutex_);  // ready, oldest first
  std::unordered_set<std::string> dirty_
      GUARDED_BY(mutex_);  // in order_, or to re-enter it at done
  std::unordered_map<std::string, SteadyTime> processing_ GUARDED_BY(mutex_);  // and since when
  std::set<std::pair<SteadyTime, std::string>> delayed_ GUARDED_BY(mutex_);
  std::unordered_map<std::string, SteadyTime> due_ GUARDED_BY(mutex_);  // delayed_, by key
  // One waiting thread at most watches the clock, the others sleep without a deadline: a key that
  // falls due wakes one thread, not all. Set while it sleeps; a stop request ends its sleep.
  std::optional<std::stop_source> timekeeper_ GUARDED_BY(mutex_);
  std::size_t idle_ GUARDED_BY(mutex_) = 0;  // threads that sleep without a deadline
  bool shut_down_ GUARDED_BY(mutex_) = false;
};

}  // namespace scaledcache
