// The line that the log gets when a decision changes: with everything it was made from.
#pragma once

#include <string>

#include "controller/log.h"
#include "controller/look.h"
#include "core/history.h"

namespace scaledcache::controller {

// `history` is what the decision started from.
[[nodiscard]] Fields decision_fields(const std::string& key,
                                     const Look& look,
                                     const core::History& history);

}  // namespace scaledcache::controller
