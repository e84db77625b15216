#include "base/zone.h"

#include <exception>
#include <string>

#include <date/tz.h>

namespace scaledcache {
namespace {

using std::chrono::sys_seconds;

constexpr sys_seconds year_start(int year) {
  return std::chrono::sys_days{std::chrono::year{year} / 1 / 1};
}

}  // namespace

Result<Zone> load_zone(std::string_view name) {
  Zone zone;
  try {
    const date::time_zone* found = date::locate_zone(name);
    for (sys_seconds time = year_start(2000); time < year_start(2100);) {
      const date::sys_info info = found->get_info(time);
      if (zone.empty() || zone.back().offset != info.offset) {
        zone.push_back({WallTime{time}, info.offset});
      }
      time = info.end;
    }
  } catch (const std::exception&) {
    return Error{
        ErrorCode::Invalid,
        "\"" + std::string(name.substr(0, 64)) +
            "\" is not a time zone of this machine: use an IANA name such as Europe/Berlin"};
  }
  return zone;
}

}  // namespace scaledcache
