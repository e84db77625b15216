#include "k8s/dip_status.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/duration.h"
#include "base/rfc3339.h"
#include "k8s/object_meta.h"
#include "k8s/replica_count.h"

namespace scaledcache::k8s {
namespace {

constexpr int kMostSteps = 1000;

void put(Json& object, const char* key, const std::optional<double>& number) {
  if (number && std::isfinite(*number)) {
    object[key] = std::round(*number * 10'000) / 10'000;
  }
}

std::optional<double> number_of(const Json* object, const char* key) {
  const Json* member = object == nullptr ? nullptr : find_member(*object, key);
  if (member == nullptr || !member->is_number()) {
    return std::nullopt;
  }
  const auto number = member->get<double>();
  return std::isfinite(number) && number >= 0 ? std::optional(number) : std::nullopt;
}

core::FleetReading reading_of(const Json* object) {
  return {number_of(object, "hitRatio"), number_of(object, "originRate"), std::nullopt};
}

}  // namespace

Json to_json(const core::Dip& dip) {
  Json before = Json::object();
  put(before, "hitRatio", dip.before.hit_ratio);
  put(before, "originRate", dip.before.origin_rate);
  put(before, "served", dip.load_before.served);
  before["pods"] = dip.load_before.pods;
  before["refuses"] = dip.load_before.refuses;
  Json worst = Json::object();
  put(worst, "hitRatio", dip.worst.hit_ratio);
  put(worst, "originRate", dip.worst.origin_rate);
  Json object{{"since", format_micro_time(dip.since)},
              {"from", dip.from},
              {"to", dip.to},
              {"steps", std::min(dip.steps, kMostSteps)},
              {"before", std::move(before)},
              {"worst", std::move(worst)}};
  if (dip.warm_after) {
    object["warmAfter"] = format_duration(*dip.warm_after);
  }
  return object;
}

std::optional<core::Dip> dip_from_json(const Json* object) {
  if (object == nullptr || !object->is_object()) {
    return std::nullopt;
  }
  const auto since = time_member(*object, "since");
  const auto from = count_member(*object, "from", -1);
  const auto to = count_member(*object, "to", -1);
  if (!since || from.value_or(-1) < 0 || to.value_or(-1) < 0) {
    return std::nullopt;
  }
  const Json* before = find_member(*object, "before");
  core::Dip dip = core::begin_dip(from.value_or(0), to.value_or(0), reading_of(before), *since);
  dip.worst = reading_of(find_member(*object, "worst"));
  dip.steps = std::clamp(count_member(*object, "steps", 1).value_or(1), 1, kMostSteps);
  dip.load_before.served = number_of(before, "served");
  if (before != nullptr) {
    dip.load_before.pods = count_member(*before, "pods", 0).value_or(0);
    const Json* refuses = find_member(*before, "refuses");
    dip.load_before.refuses = refuses != nullptr && refuses->is_boolean() && refuses->get<bool>();
  }
  if (const auto warm = parse_duration(string_member(*object, "warmAfter"))) {
    dip.warm_after = *warm;
  }
  return dip;
}

}  // namespace scaledcache::k8s
