// Conditions of a ScaledCache: a list with one entry per type.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"

namespace scaledcache::k8s {

enum class ConditionStatus { True, False, Unknown };

[[nodiscard]] std::string_view name_of(ConditionStatus status);

struct Condition {
  std::string type;
  ConditionStatus status = ConditionStatus::Unknown;
  std::string reason = "Pending";
  std::string message;
  std::int64_t observed_generation = 0;
  WallTime last_transition{};

  bool operator==(const Condition&) const = default;
};

using Conditions = std::vector<Condition>;

// The types that this operator writes, in the order of the list.
inline constexpr std::string_view kConditionTypes[] = {
    "Ready", "MetricsReady", "Active", "ScalingLimited", "Fallback", "Paused", "Contested"};

// What set_condition puts; the transition time is its business.
struct ConditionValue {
  std::string type;
  ConditionStatus status = ConditionStatus::Unknown;
  std::string reason;
  std::string message;
};

// Adds each of kConditionTypes that is not there yet as Unknown/Pending.
void add_pending_conditions(Conditions& conditions, std::int64_t generation, WallTime now);

// Replaces or adds the condition of that type. The transition time moves only with the status;
// a message above 1024 bytes is cut at a UTF-8 boundary.
void set_condition(Conditions& conditions,
                   ConditionValue value,
                   std::int64_t generation,
                   WallTime now);

// The condition of that type, or nullptr.
[[nodiscard]] const Condition* find_condition(const Conditions& conditions, std::string_view type);

// Entries without a type are dropped; types this operator does not know are kept.
[[nodiscard]] Conditions conditions_from_json(const Json& list);
[[nodiscard]] Json to_json(const Conditions& conditions);

}  // namespace scaledcache::k8s
