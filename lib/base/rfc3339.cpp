#include "base/rfc3339.h"

#include <array>
#include <charconv>
#include <cstdio>

namespace scaledcache {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

struct Civil {
  std::chrono::year_month_day date;
  std::chrono::hh_mm_ss<Milliseconds> time;
};

Civil civil(WallTime time) {
  const auto day = std::chrono::floor<days>(time);
  return {std::chrono::year_month_day{day}, std::chrono::hh_mm_ss<Milliseconds>{time - day}};
}

// A fixed-width run of digits at `text[at]`, or nothing.
std::optional<int> digits(std::string_view text, std::size_t at, std::size_t width) {
  if (at + width > text.size()) {
    return std::nullopt;
  }
  int number = 0;
  for (std::size_t i = at; i < at + width; ++i) {
    if (text[i] < '0' || text[i] > '9') {
      return std::nullopt;
    }
    number = number * 10 + (text[i] - '0');
  }
  return number;
}

std::optional<WallTime> assemble(std::optional<int> year,
                                 std::optional<int> month,
                                 std::optional<int> day,
                                 std::string_view clock) {
  const auto hour = digits(clock, 0, 2);
  const auto minute = digits(clock, 3, 2);
  const auto second = digits(clock, 6, 2);
  if (!year || !month || !day || !hour || !minute || !second || clock[2] != ':' ||
      clock[5] != ':' || *hour > 23 || *minute > 59 || *second > 60) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year{*year},
                                         std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) {
    return std::nullopt;
  }
  return WallTime{std::chrono::sys_days{date}} + hours{*hour} + minutes{*minute} + seconds{*second};
}

// Reads ".678" into milliseconds and moves `rest` behind it.
Milliseconds read_fraction(std::string_view& rest) {
  if (rest.empty() || rest.front() != '.') {
    return Milliseconds{0};
  }
  rest.remove_prefix(1);
  int value = 0;
  int scale = 100;
  while (!rest.empty() && rest.front() >= '0' && rest.front() <= '9') {
    value += (rest.front() - '0') * scale;
    scale /= 10;
    rest.remove_prefix(1);
  }
  return Milliseconds{value};
}

std::optional<minutes> read_offset(std::string_view zone) {
  if (zone == "Z" || zone == "z") {
    return minutes{0};
  }
  const auto hour = digits(zone, 1, 2);
  const auto minute = digits(zone, 4, 2);
  if (zone.size() != 6 || (zone[0] != '+' && zone[0] != '-') || zone[3] != ':' || !hour ||
      !minute) {
    return std::nullopt;
  }
  const minutes offset = hours{*hour} + minutes{*minute};
  return zone[0] == '-' ? -offset : offset;
}

}  // namespace

std::string format_time(WallTime time) {
  const Civil c = civil(std::chrono::floor<seconds>(time));
  std::array<char, 40> text{};
  const int length =
      std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02ld:%02ld:%02ldZ",
                    static_cast<int>(c.date.year()), static_cast<unsigned>(c.date.month()),
                    static_cast<unsigned>(c.date.day()), c.time.hours().count(),
                    c.time.minutes().count(), c.time.seconds().count());
  return {text.data(), static_cast<std::size_t>(length)};
}

std::string format_micro_time(WallTime time) {
  std::string text = format_time(time);
  text.pop_back();
  const auto fraction = civil(time).time.subseconds().count();
  return text + "." + std::to_string(1000 + fraction).substr(1) + "000Z";
}

std::optional<WallTime> parse_time(std::string_view text) {
  if (text.size() < 20 || text[4] != '-' || text[7] != '-' ||
      (text[10] != 'T' && text[10] != 't')) {
    return std::nullopt;
  }
  auto time = assemble(digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2), text.substr(11));
  std::string_view rest = text.substr(19);
  const Milliseconds fraction = read_fraction(rest);
  const auto offset = read_offset(rest);
  if (!time || !offset) {
    return std::nullopt;
  }
  return *time + fraction - *offset;
}

std::optional<WallTime> parse_http_date(std::string_view text) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  if (text.size() != 29 || !text.ends_with(" GMT") || text[3] != ',') {
    return std::nullopt;
  }
  const std::size_t month = kMonths.find(text.substr(8, 3));
  if (month == std::string_view::npos || month % 3 != 0) {
    return std::nullopt;
  }
  return assemble(digits(text, 12, 4), static_cast<int>(month / 3 + 1), digits(text, 5, 2),
                  text.substr(17, 8));
}

}  // namespace scaledcache
