// Between what the status of a ScaledCache says and what the decision remembers, so that a restart
// or a new leader changes nothing.
#pragma once

#include "core/history.h"
#include "k8s/status.h"

namespace scaledcache::k8s {

// The memory that `status` holds; hand it to core::restore. A status that was never written holds
// none: ask has_memory() first.
[[nodiscard]] core::KeptStatus kept_from_status(const Status& status);

// Whether a decision was ever recorded in `status`; if not, use core::first_history.
[[nodiscard]] bool has_memory(const Status& status);

// Puts `kept` into `status`, all but the signals: those are written with what they measured.
void put_kept(const core::KeptStatus& kept, Status& status);

}  // namespace scaledcache::k8s
