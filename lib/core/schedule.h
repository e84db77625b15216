// Times at which the minimum is raised: cron expressions in a time zone. The zone comes as a value
// (its offsets), so that deciding reads no time zone database.
#pragma once

#include <array>
#include <bitset>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "base/zone.h"

namespace scaledcache::core {

// A cron expression of five fields: minute, hour, day of month, month, day of week (0 and 7 are
// Sunday; names as in `mon-fri`, `jan`). Where both days are restricted, either is enough.
struct Cron {
  std::bitset<60> minutes;
  std::bitset<24> hours;
  std::bitset<32> days;     // 1 … 31
  std::bitset<13> months;   // 1 … 12
  std::bitset<7> weekdays;  // 0 = Sunday
  bool any_day = true;      // day of month is `*`
  bool any_weekday = true;  // day of week is `*`

  bool operator==(const Cron&) const = default;
};

// Invalid names the field, its text and what is allowed.
[[nodiscard]] Result<Cron> parse_cron(std::string_view text);

// The newest instant at or before `now` at which `cron` fires in `zone`; nothing if it never did in
// eight years. A local time that the clocks skip fires when the gap ends, one that comes twice
// fires the first time.
[[nodiscard]] std::optional<WallTime> newest_firing(const Cron& cron,
                                                    const Zone& zone,
                                                    WallTime now);

struct Schedule {
  Cron start;
  Cron end;
  Zone zone;
  int min_replicas = 0;

  bool operator==(const Schedule&) const = default;
};

// Whether the newest start is later than the newest end.
[[nodiscard]] bool in_force(const Schedule& schedule, WallTime now);

}  // namespace scaledcache::core
