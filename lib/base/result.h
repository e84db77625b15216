// Result<T>: a value or an Error, with the method names of std::expected, which the C++20 library
// lacks. Never thrown away: the type is [[nodiscard]].
#pragma once

#include <type_traits>
#include <utility>
#include <variant>

#include "base/error.h"

namespace scaledcache {

template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  // Both conversions are implicit on purpose: `return value;` and `return Error{…};`.
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}

  // NOLINTNEXTLINE(google-explicit-constructor): see above
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool has_value() const { return state_.index() == 0; }

  explicit operator bool() const { return has_value(); }

  // Each of these needs has_value(); std::bad_variant_access otherwise.
  [[nodiscard]] T& value() & { return std::get<0>(state_); }

  [[nodiscard]] const T& value() const& { return std::get<0>(state_); }

  [[nodiscard]] T&& value() && { return std::get<0>(std::move(state_)); }

  T& operator*() & { return value(); }

  const T& operator*() const& { return value(); }

  T&& operator*() && { return std::move(*this).value(); }

  T* operator->() { return &value(); }

  const T* operator->() const { return &value(); }

  // Needs !has_value().
  [[nodiscard]] const Error& error() const { return std::get<1>(state_); }

  template <class U>
  [[nodiscard]] T value_or(U&& fallback) const& {
    return has_value() ? value() : static_cast<T>(std::forward<U>(fallback));
  }

  // Applies `f` to the value; passes an error on.
  template <class F>
  auto and_then(F&& f) && -> std::invoke_result_t<F, T&&> {
    if (!has_value()) {
      return error();
    }
    return std::forward<F>(f)(std::move(*this).value());
  }

  template <class F>
  auto transform(F&& f) && -> Result<std::invoke_result_t<F, T&&>> {
    if (!has_value()) {
      return error();
    }
    return std::forward<F>(f)(std::move(*this).value());
  }

 private:
  std::variant<T, Error> state_;
};

// Success without a value.
template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() = default;

  // NOLINTNEXTLINE(google-explicit-constructor): `return Error{…};`
  Result(Error error) : error_(std::move(error)), failed_(true) {}

  [[nodiscard]] bool has_value() const { return !failed_; }

  explicit operator bool() const { return has_value(); }

  [[nodiscard]] const Error& error() const { return error_; }

 private:
  Error error_{};
  bool failed_ = false;
};

}  // namespace scaledcache
