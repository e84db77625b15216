#include "runtime/work_queue.h"

#include <algorithm>
#include <chrono>

namespace scaledcache {
namespace {

// Keeps the sum of now and a delay inside the clock's range.
constexpr Milliseconds kLongestDelay = std::chrono::hours(24 * 365);

}  // namespace

void WorkQueue::add(const std::string& key) {
  Call call;
  {
    MutexLock lock(mutex_);
    if (shut_down_ || !dirty_.insert(key).second) {
      return;
    }
    if (processing_.contains(key)) {
      return;  // done() brings it back
    }
    order_.push_back(key);
    call = choose_call();
  }
  send(std::move(call));
}

void WorkQueue::add_after(const std::string& key, Milliseconds delay) {
  if (delay <= Milliseconds::zero()) {
    add(key);
    return;
  }
  Call call;
  {
    MutexLock lock(mutex_);
    if (shut_down_) {
      return;
    }
    const SteadyTime time = clock_.steady() + std::min(delay, kLongestDelay);
    const auto [known, is_new] = due_.try_emplace(key, time);
    if (!is_new) {
      if (known->second <= time) {
        return;
      }
      delayed_.erase({known->second, key});
      known->second = time;
    }
    const auto added = delayed_.insert({time, key}).first;
    if (added != delayed_.begin()) {
      return;  // whoever keeps the time wakes before it is due
    }
    call = {true, timekeeper_};
  }
  send(std::move(call));
}

std::optional<std::string> WorkQueue::get(const std::stop_token& stop) {
  std::optional<std::string> key;
  Call call;
  {
    MutexLock lock(mutex_);
    push_due();
    while (order_.empty() && !shut_down_ && !stop.stop_requested()) {
      if (delayed_.empty() || timekeeper_) {
        wait_for_news(lock, stop);
      } else {
        keep_time(lock, stop);
      }
      push_due();
    }
    if (!order_.empty() && !stop.stop_requested()) {
      key = pop_ready();
    }
    // An add wakes one thread only. Whoever leaves with keys still ready, or with delayed keys that
    // nobody watches, passes the call on.
    call = choose_call();
  }
  send(std::move(call));
  return key;
}

void WorkQueue::done(const std::string& key) {
  Call call;
  {
    MutexLock lock(mutex_);
    if (processing_.erase(key) == 0 || !dirty_.contains(key)) {
      return;
    }
    order_.push_back(key);
    call = choose_call();
  }
  send(std::move(call));
}

void WorkQueue::shut_down() {
  Call call;
  {
    MutexLock lock(mutex_);
    shut_down_ = true;
    delayed_.clear();
    due_.clear();
    call = {true, timekeeper_};
  }
  changed_.notify_all();
  send(std::move(call));
}

std::size_t WorkQueue::depth() const {
  MutexLock lock(mutex_);
  return order_.size();
}

std::optional<Milliseconds> WorkQueue::oldest_in_flight() const {
  MutexLock lock(mutex_);
  const auto oldest = std::min_element(
      processing_.begin(), processing_.end(),
      [](const auto& left, const auto& right) { return left.second < right.second; });
  if (oldest == processing_.end()) {
    return std::nullopt;
  }
  return std::chrono::duration_cast<Milliseconds>(clock_.steady() - oldest->second);
}

void WorkQueue::push_due() {
  const SteadyTime now = clock_.steady();
  while (!delayed_.empty() && delayed_.begin()->first <= now) {
    std::string key = delayed_.begin()->second;
    delayed_.erase(delayed_.begin());
    due_.erase(key);
    if (dirty_.insert(key).second && !processing_.contains(key)) {
      order_.push_back(std::move(key));
    }
  }
}

std::string WorkQueue::pop_ready() {
  std::string key = std::move(order_.front());
  order_.pop_front();
  dirty_.erase(key);
  processing_.emplace(key, clock_.steady());
  return key;
}

bool WorkQueue::has_news() const {
  return !order_.empty() || shut_down_ || (!delayed_.empty() && !timekeeper_);
}

WorkQueue::Call WorkQueue::choose_call() const {
  if (order_.empty()) {
    return {!delayed_.empty() && !timekeeper_ && idle_ > 0};
  }
  return idle_ > 0 ? Call{true} : Call{true, timekeeper_};
}

void WorkQueue::send(Call call) {
  if (call.timekeeper) {
    call.timekeeper->request_stop();
  } else if (call.anyone) {
    changed_.notify_one();
  }
}

void WorkQueue::wait_for_news(MutexLock& lock, const std::stop_token& stop) {
  ++idle_;
  changed_.wait(lock, stop, [this]() REQUIRES(mutex_) { return has_news(); });
  --idle_;
}

void WorkQueue::keep_time(MutexLock& lock, const std::stop_token& stop) {
  const SteadyTime first_due = delayed_.begin()->first;
  std::stop_source alarm;
  timekeeper_ = alarm;
  lock.unlock();
  {
    const std::stop_callback forward(stop, [&alarm] { alarm.request_stop(); });
    clock_.wait_until(first_due, alarm.get_token());
  }
  lock.lock();
  timekeeper_.reset();
}

}  // namespace scaledcache
