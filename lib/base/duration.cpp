#include "base/duration.h"

#include <array>
#include <charconv>
#include <cmath>

namespace scaledcache {
namespace {

constexpr std::size_t kMaxLength = 16;

struct Unit {
  std::string_view name;
  double milliseconds;
};

// "ms" stands before "m" and "s" so that the longest name wins.
constexpr std::array kUnits{Unit{"ms", 1.0}, Unit{"s", 1e3}, Unit{"m", 60e3}, Unit{"h", 3600e3}};

Error bad(std::string_view text) {
  return Error{ErrorCode::Invalid,
               "\"" + std::string(text.substr(0, 32)) +
                   "\" is not a duration: use numbers with ms, s, m or h, such as 30s or 1h30m"};
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Length of [0-9]+(\.[0-9]+)? at the start of `text`, 0 if it does not start so.
std::size_t number_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && is_digit(text[length])) {
    ++length;
  }
  if (length == 0 || length >= text.size() || text[length] != '.') {
    return length;
  }
  const std::size_t dot = length++;
  while (length < text.size() && is_digit(text[length])) {
    ++length;
  }
  return length == dot + 1 ? 0 : length;
}

const Unit* unit_at(std::string_view text) {
  for (const Unit& unit : kUnits) {
    if (text.starts_with(unit.name)) {
      return &unit;
    }
  }
  return nullptr;
}

}  // namespace

Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  if (text == "0") {
    return std::chrono::milliseconds{0};
  }
  if (text.empty() || text.size() > kMaxLength) {
    return bad(text);
  }
  double total = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = number_length(rest);
    double number = 0;
    if (length == 0 ||
        std::from_chars(rest.data(), rest.data() + length, number).ec != std::errc{}) {
      return bad(text);
    }
    rest.remove_prefix(length);
    const Unit* unit = unit_at(rest);
    if (unit == nullptr) {
      return bad(text);
    }
    rest.remove_prefix(unit->name.size());
    total += number * unit->milliseconds;
  }
  constexpr double kLongest = 1e15;  // far beyond any field's range, far inside 64 bits
  if (!(total < kLongest)) {
    return bad(text);
  }
  return std::chrono::milliseconds{std::llround(total)};
}

std::string format_duration(std::chrono::milliseconds duration) {
  std::string text;
  std::chrono::milliseconds rest = duration;
  if (rest.count() < 0) {
    text = "-";
    rest = -rest;
  }
  const auto hours = std::chrono::duration_cast<std::chrono::hours>(rest);
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(rest - hours);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(rest - hours - minutes);
  const auto fraction = rest - hours - minutes - seconds;
  if (hours.count() != 0) {
    text += std::to_string(hours.count()) + "h";
  }
  if (minutes.count() != 0) {
    text += std::to_string(minutes.count()) + "m";
  }
  if (seconds.count() == 0 && fraction.count() != 0) {
    return text + std::to_string(fraction.count()) + "ms";
  }
  if (seconds.count() != 0 || duration.count() == 0) {
    text += std::to_string(seconds.count());
    if (fraction.count() != 0) {
      std::string digits = std::to_string(1000 + fraction.count()).substr(1);
      digits.erase(digits.find_last_not_of('0') + 1);
      text += "." + digits;
    }
    text += "s";
  }
  return text;
}

}  // namespace scaledcache
