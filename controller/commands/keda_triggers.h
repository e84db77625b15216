// The triggers of a ScaledObject: prometheus triggers become signals, cron triggers schedules.
#pragma once

#include <map>
#include <span>
#include <string>

#include "controller/commands/draft.h"

namespace scaledcache::controller {

// Carries `spec`'s triggers over; `all` holds the TriggerAuthentications they may name. Returns the
// queries of the triggers that have a name, which formulas may use.
std::map<std::string, std::string> carry_triggers(const Json& spec,
                                                  std::span<const Document> all,
                                                  Draft& draft);

// What strconv.ParseBool takes for true; KEDA takes what is no boolean for true as well.
[[nodiscard]] bool is_keda_true(const std::string& text);

}  // namespace scaledcache::controller
