// ScaledObjects of KEDA (keda.sh/v1alpha1) in the terms of a ScaledCache.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "controller/commands/draft.h"

namespace scaledcache::controller {

inline constexpr const char* kScaledObject = "ScaledObject";

// `all` holds the TriggerAuthentications that its triggers may name. The draft has no signal where
// no trigger counts requests; its ledger says why.
[[nodiscard]] Draft draft_of_scaled_object(const Document& source, std::span<const Document> all);

}  // namespace scaledcache::controller
