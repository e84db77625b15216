// The behavior of a HorizontalPodAutoscaler (autoscaling/v2), which KEDA uses as well, in the terms
// of a ScaledCache.
#pragma once

#include <string>

#include "controller/commands/draft.h"

namespace scaledcache::controller {

// Carries the object at `path` over into `draft`, whose maxReplicas must be known already.
void carry_behavior(const Json& behavior, const std::string& path, Draft& draft);

}  // namespace scaledcache::controller
