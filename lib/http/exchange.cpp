#include "http/exchange.h"

#include <utility>

namespace scaledcache::http {

void Exchange::put_head(Head head) {
  {
    MutexLock lock(mutex_);
    head_ = std::move(head);
  }
  changed_.notify_all();
}

bool Exchange::put_bytes(std::string_view bytes, std::function<void()> drained) {
  {
    MutexLock lock(mutex_);
    if (abandoned_) {
      return false;
    }
    bytes_.append(bytes);
    if (bytes_.size() > kHighWater) {
      drained_ = std::exchange(drained, nullptr);
    }
  }
  changed_.notify_all();
  if (drained) {
    drained();
  }
  return true;
}

void Exchange::finish() {
  {
    MutexLock lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
}

void Exchange::fail(Error error) {
  {
    MutexLock lock(mutex_);
    if (ended_) {
      return;
    }
    ended_ = true;
    error_ = std::move(error);
  }
  changed_.notify_all();
}

std::optional<Error> Exchange::failure(bool ready, const std::stop_token& stop) const {
  if (!ready) {
    return stop.stop_requested() ? Error{ErrorCode::Cancelled, "stopped while waiting"}
                                 : Error{ErrorCode::Timeout, "no answer in time"};
  }
  return error_;
}

Result<Head> Exchange::take_head(SteadyTime deadline, const std::stop_token& stop) {
  MutexLock lock(mutex_);
  const bool ready = changed_.wait_until(
      lock, stop, deadline, [this]() REQUIRES(mutex_) { return head_.has_value() || ended_; });
  if (head_) {
    return *std::exchange(head_, std::nullopt);
  }
  return failure(ready, stop).value_or(Error{ErrorCode::Protocol, "an answer without a head"});
}

Result<std::optional<std::string>> Exchange::take_bytes(SteadyTime deadline,
                                                        const std::stop_token& stop) {
  std::string bytes;
  std::function<void()> drained;
  {
    MutexLock lock(mutex_);
    const bool ready = changed_.wait_until(
        lock, stop, deadline, [this]() REQUIRES(mutex_) { return !bytes_.empty() || ended_; });
    if (bytes_.empty()) {
      if (auto error = failure(ready, stop)) {
        return *std::move(error);
      }
      return std::optional<std::string>{};
    }
    bytes = std::exchange(bytes_, {});
    drained = std::exchange(drained_, nullptr);
  }
  if (drained) {
    drained();
  }
  return std::optional<std::string>(std::move(bytes));
}

void Exchange::abandon() {
  std::function<void()> drained;
  {
    MutexLock lock(mutex_);
    abandoned_ = true;
    bytes_ = {};
    drained = std::exchange(drained_, nullptr);
  }
  if (drained) {
    drained();
  }
}

}  // namespace scaledcache::http
