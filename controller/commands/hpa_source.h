// HorizontalPodAutoscalers (autoscaling/v2) in the terms of a ScaledCache.
#pragma once

#include "controller/commands/draft.h"

namespace scaledcache::controller {

inline constexpr const char* kHpa = "HorizontalPodAutoscaler";

// What the metrics adapter asks the backend for each metric is not in the object: the queries are
// what its usual rules give, and say so. The draft has no signal where no metric counts requests.
[[nodiscard]] Draft draft_of_hpa(const Document& source);

}  // namespace scaledcache::controller
