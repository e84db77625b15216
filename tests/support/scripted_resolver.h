// A resolver that gives the answers a test wrote down.
#pragma once

#include <algorithm>
#include <deque>
#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "http/resolver.h"

namespace scaledcache::support {

// Thread safe. Gives the answers in turn, the last one for ever. An answer is a list of addresses
// with commas between them: "192.0.2.1,2001:db8::1".
class ScriptedResolver final : public http::Resolver {
 public:
  explicit ScriptedResolver(std::initializer_list<std::string_view> answers) {
    for (std::string_view rest : answers) {
      std::vector<http::Address>& addresses = answers_.emplace_back();
      while (!rest.empty()) {
        const std::string_view text = rest.substr(0, rest.find(','));
        addresses.push_back(http::parse_address(text).value());
        rest.remove_prefix(std::min(rest.size(), text.size() + 1));
      }
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
