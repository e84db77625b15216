// Plain values to JSON and back by lists of their members: one list serves both directions, so that
// neither can forget a member. Members that have their default value are left out.
#pragma once

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "base/clock.h"
#include "base/json.h"

namespace scaledcache::controller::record {

using Out = nlohmann::ordered_json;

template <class S, class M>
struct Member {
  const char* name;
  M S::*at;
};

template <class S, class M>
constexpr Member<S, M> member(const char* name, M S::*at) {
  return {name, at};
}

// The members of S: a tuple of Member<S, …>, given by a specialisation `kMembers<S>`.
template <class S>
inline constexpr int kMembers = 0;

template <class S>
concept Listed = !std::is_same_v<std::remove_cv_t<decltype(kMembers<S>)>, int>;

// Thrown inside read(), caught by whoever asked: names the member that cannot be read.
struct Unreadable {
  std::string member;
};

// How one type is written and read. The primary template is for structs with a list of members.
template <class T>
struct Codec {
  static_assert(Listed<T>, "give kMembers<T> or a Codec<T>");

  static Out write(const T& value) {
    const T absent{};
    Out out = Out::object();
    std::apply([&](const auto&... m) { (write_member(out, value, absent, m), ...); }, kMembers<T>);
    return out;
  }

  static T read(const Json& json) {
    T value{};
    std::apply([&](const auto&... m) { (read_member(json, value, m), ...); }, kMembers<T>);
    return value;
  }

 private:
  template <class M>
  static void write_member(Out& out, const T& value, const T& absent, const Member<T, M>& m) {
    Out written = Codec<M>::write(value.*m.at);
    if (written != Codec<M>::write(absent.*m.at)) {
      out[m.name] = std::move(written);
    }
  }

  template <class M>
  static void read_member(const Json& json, T& value, const Member<T, M>& m) {
    if (const Json* found = find_member(json, m.name)) {
      try {
        value.*m.at = Codec<M>::read(*found);
      } catch (const Json::exception&) {
        throw Unreadable{m.name};
      }
    }
  }
};

template <class T>
requires std::is_same_v<T, bool> || std::is_same_v<T, int> || std::is_same_v<T, std::int64_t> ||
    std::is_same_v<T, std::string>

struct Codec<T> {
  static Out write(const T& value) { return value; }

  static T read(const Json& json) { return json.get<T>(); }
};

// JSON has no infinity and no NaN; both are written as text.
template <>
struct Codec<double> {
  static Out write(double value) {
    if (std::isfinite(value)) {
      return value;
    }
    return std::isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  }

  static double read(const Json& json) {
    if (!json.is_string()) {
      return json.get<double>();
    }
    const auto text = json.get<std::string>();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return text == "NaN"    ? std::numeric_limits<double>::quiet_NaN()
           : text == "+Inf" ? kInfinity
                            : -kInfinity;
  }
};

template <class T>
requires std::is_enum_v<T>

struct Codec<T> {
  static Out write(T value) { return static_cast<int>(value); }

  static T read(const Json& json) { return static_cast<T>(json.get<int>()); }
};

template <>
struct Codec<Milliseconds> {
  static Out write(Milliseconds value) { return value.count(); }

  static Milliseconds read(const Json& json) { return Milliseconds{json.get<std::int64_t>()}; }
};

template <>
struct Codec<WallTime> {
  static Out write(WallTime value) { return value.time_since_epoch().count(); }

  static WallTime read(const Json& json) {
    return WallTime{Milliseconds{json.get<std::int64_t>()}};
  }
};

template <class T>
struct Codec<std::optional<T>> {
  static Out write(const std::optional<T>& value) {
    return value ? Codec<T>::write(*value) : Out(nullptr);
  }

  static std::optional<T> read(const Json& json) {
    return json.is_null() ? std::nullopt : std::optional<T>(Codec<T>::read(json));
  }
};

template <class T>
struct Codec<std::vector<T>> {
  static Out write(const std::vector<T>& values) {
    Out out = Out::array();
    for (const T& value : values) {
      out.push_back(Codec<T>::write(value));
    }
    return out;
  }

  static std::vector<T> read(const Json& json) {
    std::vector<T> values;
    for (const Json& item : json.get_ref<const Json::array_t&>()) {
      values.push_back(Codec<T>::read(item));
    }
    return values;
  }
};

template <std::size_t N>
struct Codec<std::array<double, N>> {
  static Out write(const std::array<double, N>& values) {
    return Codec<std::vector<double>>::write(std::vector<double>(values.begin(), values.end()));
  }

  static std::array<double, N> read(const Json& json) {
    std::array<double, N> values{};
    for (std::size_t i = 0; i < N; ++i) {
      values[i] = Codec<double>::read(json.at(i));
    }
    return values;
  }
};

}  // namespace scaledcache::controller::record
