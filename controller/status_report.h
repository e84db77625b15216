// From a look to the status that people read. Pure.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "base/error.h"
#include "controller/look.h"
#include "k8s/scaled_cache.h"
#include "k8s/status.h"

namespace scaledcache::controller {

// The status after a decision was applied; `before` is the status as it stands.
[[nodiscard]] k8s::Status report_look(const k8s::Status& before, const Look& look);

// Why nothing could be decided.
struct Failure {
  std::string reason;  // one of Ready's, such as "TargetNotFound"
  std::string message;
};

// The reason of Ready for an error that came up while gathering or acting; nothing for one that the
// next look may well not meet.
[[nodiscard]] std::optional<Failure> failure_of(const Error& error);

// The status while nothing can be decided: Ready is False, counts and timers stay.
[[nodiscard]] k8s::Status report_failure(const k8s::Status& before,
                                         const k8s::ScaledCache& cache,
                                         const Failure& failure,
                                         WallTime now);

}  // namespace scaledcache::controller
