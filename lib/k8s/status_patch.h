// When the status of a ScaledCache is worth a write, and what that write says. Each write is an
// event to the operator itself and to everybody who watches, so nothing is written for its own
// sake.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "k8s/patch.h"
#include "k8s/spec.h"
#include "k8s/status.h"

namespace scaledcache::k8s {

inline constexpr Milliseconds kStatusHeartbeat{300'000};
inline constexpr Milliseconds kRateWriteInterval{30'000};

// Whether `next` must be written over `stored`: the generation, a count, the last decision (to or
// reason), a condition (status or reason), a timer or a drain changed; √risk moved by more than a
// tenth; the heartbeat is due; or, at most every 30 s, a rate moved by 20 % and by what one replica
// carries. Other measured values never cause a write. `since_write` is the time since this process
// last wrote or first saw this status.
[[nodiscard]] bool status_write_due(const Spec& spec,
                                    const Status& stored,
                                    const Status& next,
                                    Milliseconds since_write);

// A JSON patch for …/status with only what differs, after a test of metadata.uid (422 when the
// object was replaced by another of the same name; a merge patch would not see that, since the API
// server drops the metadata of a status write unread). Nothing when nothing differs.
[[nodiscard]] std::optional<Patch> encode_status_patch(const std::string& uid,
                                                       const Status& stored,
                                                       const Status& next);

}  // namespace scaledcache::k8s
