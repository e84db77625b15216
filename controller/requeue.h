// When to look again. The one place where an error becomes a delay.
#pragma once

#include "base/clock.h"
#include "base/error.h"

namespace scaledcache::controller {

// `failures` in a row, this one included. Never much longer than `poll_interval` for failures that
// may heal by themselves: a scaler that sleeps through the spike is useless.
[[nodiscard]] Milliseconds requeue_after(const Error& error,
                                         int failures,
                                         Milliseconds poll_interval);

}  // namespace scaledcache::controller
