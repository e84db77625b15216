// A value that cannot be printed: it has no stream operator, no formatter and no JSON conversion,
// and its only way out is a call whose name shows up in a review.
#pragma once

#include <utility>

namespace scaledcache {

template <class T>
class Secret {
 public:
  Secret() = default;

  explicit Secret(T value) : value_(std::move(value)) {}

  [[nodiscard]] const T& reveal() const { return value_; }

  bool operator==(const Secret&) const = default;

 private:
  T value_{};
};

}  // namespace scaledcache
