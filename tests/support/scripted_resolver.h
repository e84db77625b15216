// A resolver that gives the answers a test wrote down.
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/resolver.h"

namespace scaledcache::support {

// Thread safe. Gives the answers in turn, the last one for ever.
class ScriptedResolver final : public http::Resolver {
 public:
  explicit ScriptedResolver(std::deque<std::vector<std::string_view>> answers) {
    for (const auto& texts : answers) {
      std::vector<http::Address> addresses;
      for (const std::string_view text : texts) {
        addresses.push_back(http::parse_address(text).value());
      }
      answers_.push_back(std::move(addresses));
    }
  }

  Result<std::vector<http::Address>> resolve(const std::string& host,
                                             Milliseconds,
                                             std::stop_token) override {
    std::lock_guard lock(mutex_);
    asked_.push_back(host);
    std::vector<http::Address> answer = answers_.front();
    if (answers_.size() > 1) {
      answers_.pop_front();
    }
    return answer;
  }

  // The names asked for so far.
  [[nodiscard]] std::vector<std::string> asked() const {
    std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  mutable std::mutex mutex_;
  std::deque<std::vector<http::Address>> answers_;
  std::vector<std::string> asked_;
};

}  // namespace scaledcache::support
