#include "core/schedule.h"

#include <algorithm>
#include <charconv>
#include <span>

namespace scaledcache::core {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::seconds;

// A local time, counted like UTC.
using LocalTime = std::chrono::local_time<seconds>;

// One of the five fields: what it is called, what it may hold, and the names for its numbers.
struct Field {
  std::string_view name;
  int least;
  int most;
  std::span<const std::string_view> names;  // of least, least + 1, …
};

constexpr std::array<std::string_view, 12> kMonths{"jan", "feb", "mar", "apr", "may", "jun",
                                                   "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kWeekdays{"sun", "mon", "tue", "wed",
                                                    "thu", "fri", "sat"};

Error bad(const Field& field, std::string_view text) {
  return Error{ErrorCode::Invalid,
               "\"" + std::string(text.substr(0, 32)) + "\" is no " + std::string(field.name) +
                   " of a cron expression: use *, numbers from " + std::to_string(field.least) +
                   " to " + std::to_string(field.most) + ", ranges a-b, steps */n and lists a,b"};
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return result;
}

std::optional<int> parse_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size() && text[0] != '-';
  return whole ? std::optional(value) : std::nullopt;
}

std::optional<int> parse_value(const Field& field, std::string_view text) {
  const std::string wanted = lower(text);
  for (std::size_t i = 0; i < field.names.size(); ++i) {
    if (field.names[i] == wanted) {
      return field.least + static_cast<int>(i);
    }
  }
  const auto value = text.empty() ? std::nullopt : parse_number(text);
  const bool fits = value && *value >= field.least && *value <= field.most;
  return fits ? value : std::nullopt;
}

struct Span {
  int first = 0;
  int last = 0;
  int step = 1;
};

// `*`, `a` or `a-b`.
std::optional<Span> parse_range(const Field& field, std::string_view text) {
  if (text == "*") {
    return Span{field.least, field.most};
  }
  const std::size_t dash = text.find('-');
  const auto from = parse_value(field, text.substr(0, dash));
  const auto to = dash == std::string_view::npos ? from : parse_value(field, text.substr(dash + 1));
  if (!from || !to || *from > *to) {
    return std::nullopt;
  }
  return Span{*from, *to};
}

// One element of a list: a range with an optional `/n`; `a/n` goes on to the end.
std::optional<Span> parse_span(const Field& field, std::string_view text) {
  const std::size_t slash = text.find('/');
  std::optional<Span> span = parse_range(field, text.substr(0, slash));
  if (!span || slash == std::string_view::npos) {
    return span;
  }
  const std::string_view written = text.substr(slash + 1);
  const auto step = written.empty() ? std::nullopt : parse_number(written);
  if (!step || *step < 1) {
    return std::nullopt;
  }
  span->step = std::min(*step, field.most + 1);
  if (text.find('-') == std::string_view::npos) {
    span->last = field.most;
  }
  return span;
}

template <std::size_t N>
bool parse_element(const Field& field, std::string_view text, std::bitset<N>& into) {
  const std::optional<Span> span = parse_span(field, text);
  if (!span) {
    return false;
  }
  for (int value = span->first; value <= span->last; value += span->step) {
    into.set(static_cast<std::size_t>(value) % N);
  }
  return true;
}

template <std::size_t N>
Result<void> parse_field(const Field& field, std::string_view text, std::bitset<N>& into) {
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    if (!parse_element(field, rest.substr(0, comma), into)) {
      return bad(field, text);
    }
    if (comma == std::string_view::npos) {
      return {};
    }
    rest.remove_prefix(comma + 1);
  }
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> result;
  while (true) {
    const std::size_t start = text.find_first_not_of(" \t");
    if (start == std::string_view::npos) {
      return result;
    }
    const std::size_t end = std::min(text.find_first_of(" \t", start), text.size());
    result.push_back(text.substr(start, end - start));
    text.remove_prefix(end);
  }
}

seconds offset_at(const Zone& zone, WallTime time) {
  const auto after = std::upper_bound(
      zone.begin(), zone.end(), time,
      [](WallTime wanted, const ZoneOffset& entry) { return wanted < entry.from; });
  if (zone.empty()) {
    return seconds{0};
  }
  return after == zone.begin() ? zone.front().offset : (after - 1)->offset;
}

WallTime with_offset(LocalTime local, seconds offset) {
  return WallTime{local.time_since_epoch() - offset};
}

// The first instant at which the clocks show `local`; where they skip it, the end of the gap.
WallTime instant_of(const Zone& zone, LocalTime local) {
  const WallTime around{local.time_since_epoch()};
  const seconds before = offset_at(zone, around - days{1});
  const seconds after = offset_at(zone, around + days{1});
  const WallTime early = with_offset(local, before);
  if (before == after) {
    return early;
  }
  const auto change = std::find_if(zone.begin(), zone.end(), [&](const ZoneOffset& entry) {
    return entry.from > around - days{1} && entry.offset == after;
  });
  const WallTime at = change == zone.end() ? early : change->from;
  return early < at ? early : std::max(at, with_offset(local, after));
}

bool fires_on(const Cron& cron, std::chrono::local_days day) {
  const std::chrono::year_month_day date{day};
  if (!cron.months.test(static_cast<unsigned>(date.month()))) {
    return false;
  }
  const bool by_day = cron.days.test(static_cast<unsigned>(date.day()));
  const bool by_weekday = cron.weekdays.test(std::chrono::weekday{day}.c_encoding());
  return cron.any_day || cron.any_weekday ? by_day && by_weekday : by_day || by_weekday;
}

std::optional<WallTime> newest_on(const Cron& cron,
                                  const Zone& zone,
                                  std::chrono::local_days day,
                                  WallTime now) {
  for (int hour = 23; hour >= 0; --hour) {
    if (!cron.hours.test(static_cast<std::size_t>(hour))) {
      continue;
    }
    for (int minute = 59; minute >= 0; --minute) {
      if (!cron.minutes.test(static_cast<std::size_t>(minute))) {
        continue;
      }
      const LocalTime local = day + std::chrono::hours{hour} + std::chrono::minutes{minute};
      const WallTime time = instant_of(zone, local);
      if (time <= now) {
        return time;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

Result<Cron> parse_cron(std::string_view text) {
  const std::vector<std::string_view> fields = words(text);
  if (fields.size() != 5) {
    return Error{
        ErrorCode::Invalid,
        "\"" + std::string(text.substr(0, 64)) +
            "\" is no cron expression: it needs five fields (minute hour day month weekday)"};
  }
  Cron cron;
  const Field minute{"minute", 0, 59, {}};
  const Field hour{"hour", 0, 23, {}};
  const Field day{"day of month", 1, 31, {}};
  const Field month{"month", 1, 12, kMonths};
  const Field weekday{"day of week", 0, 7, kWeekdays};
  for (const Result<void>& parsed :
       {parse_field(minute, fields[0], cron.minutes), parse_field(hour, fields[1], cron.hours),
        parse_field(day, fields[2], cron.days), parse_field(month, fields[3], cron.months),
        parse_field(weekday, fields[4], cron.weekdays)}) {
    if (!parsed) {
      return parsed.error();
    }
  }
  cron.any_day = fields[2].starts_with('*');
  cron.any_weekday = fields[4].starts_with('*');
  return cron;
}

std::optional<WallTime> newest_firing(const Cron& cron, const Zone& zone, WallTime now) {
  constexpr int kMostDays = 8 * 366;
  const LocalTime local{floor<seconds>(now.time_since_epoch()) + offset_at(zone, now)};
  auto day = floor<days>(local) + days{1};  // where clocks go back, tomorrow's start may be over
  for (int i = 0; i <= kMostDays; ++i, day -= days{1}) {
    if (!fires_on(cron, day)) {
      continue;
    }
    if (const auto time = newest_on(cron, zone, day, now)) {
      return time;
    }
  }
  return std::nullopt;
}

bool in_force(const Schedule& schedule, WallTime now) {
  const auto start = newest_firing(schedule.start, schedule.zone, now);
  const auto end = newest_firing(schedule.end, schedule.zone, now);
  return start && (!end || *start > *end);
}

}  // namespace scaledcache::core
