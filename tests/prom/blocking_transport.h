// A transport whose answers wait until the test lets them go.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <utility>

#include "http/transport.h"

namespace scaledcache::prom {

class BlockingTransport final : public http::HttpTransport {
 public:
  Result<http::Response> send(const http::Request& request, std::stop_token stop) override {
    std::unique_lock lock(mutex_);
    ++arrived_;
    last_ = request;
    changed_.notify_all();
    if (!changed_.wait(lock, stop, [&] { return !answers_.empty(); })) {
      return Error{ErrorCode::Cancelled, "stopping"};
    }
    Result<http::Response> answer = std::move(answers_.front());
    answers_.pop_front();
    return answer;
  }

  // Lets one request go that waits now or comes next.
  void answer(Result<http::Response> answer) {
    {
      std::lock_guard lock(mutex_);
      answers_.push_back(std::move(answer));
    }
    changed_.notify_all();
  }

  void wait_for_arrivals(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return arrived_ >= count; });
  }

  [[nodiscard]] int arrived() const {
    std::lock_guard lock(mutex_);
    return arrived_;
  }

  [[nodiscard]] http::Request last() const {
    std::lock_guard lock(mutex_);
    return last_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Result<http::Response>> answers_;
  http::Request last_;
  int arrived_ = 0;
};

}  // namespace scaledcache::prom
