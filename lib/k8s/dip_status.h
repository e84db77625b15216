// The change of the count that is being followed, as status keeps it: a restart goes on with it.
#pragma once

#include <optional>

#include "base/json.h"
#include "core/guards.h"

namespace scaledcache::k8s {

// Without what the fleet shows last: that is measured again.
[[nodiscard]] Json to_json(const core::Dip& dip);

// Nothing where it is absent or lacks its time or counts.
[[nodiscard]] std::optional<core::Dip> dip_from_json(const Json* object);

}  // namespace scaledcache::k8s
