// A transport that plays a script: each expected request has one canned answer. A request that was
// not expected, or an expectation that was not met, fails the test.
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "http/transport.h"

namespace scaledcache::support {

struct Exchange {
  http::Method method = http::Method::Get;
  std::string url;            // compared whole
  std::string body_contains;  // empty: any body
  Result<http::Response> answer;
};

inline http::Response json_response(int status, std::string body) {
  return http::Response{status, {{"Content-Type", "application/json"}}, std::move(body)};
}

class ScriptedTransport final : public http::HttpTransport {
 public:
  ~ScriptedTransport() override {
    CHECK_MESSAGE(script_.empty(), "expected requests that never came: ", script_.size());
  }

  void expect(Exchange exchange) {
    std::lock_guard lock(mutex_);
    script_.push_back(std::move(exchange));
  }

  Result<http::Response> send(const http::Request& request, std::stop_token) override {
    std::lock_guard lock(mutex_);
    sent_.push_back(request);
    if (script_.empty()) {
      FAIL_CHECK("unexpected request: ", std::string(http::name_of(request.method)), " ",
                 request.url);
      return Error{ErrorCode::Unavailable, "unexpected request"};
    }
    Exchange next = std::move(script_.front());
    script_.pop_front();
    CHECK(http::name_of(next.method) == http::name_of(request.method));
    CHECK(next.url == request.url);
    if (!next.body_contains.empty()) {
      CHECK_MESSAGE(request.body.find(next.body_contains) != std::string::npos, request.body);
    }
    return std::move(next.answer);
  }

  [[nodiscard]] std::vector<http::Request> sent() const {
    std::lock_guard lock(mutex_);
    return sent_;
  }

 private:
  mutable std::mutex mutex_;
  std::deque<Exchange> script_;
  std::vector<http::Request> sent_;
};

}  // namespace scaledcache::support
