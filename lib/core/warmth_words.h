// The verdict on a pod in words.
#pragma once

#include <string>

#include "core/warmth.h"

namespace scaledcache::core {

// One sentence, with the numbers. It does not change while the facts stay as they are.
[[nodiscard]] std::string describe(const WarmthPolicy& policy,
                                   const WarmthFacts& facts,
                                   WarmthReason reason);

}  // namespace scaledcache::core
