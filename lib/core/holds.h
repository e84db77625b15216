// The conditions under which a count stays as it is; decide.cpp has their order. Internal to this
// room.
#pragma once

#include "core/tick.h"

namespace scaledcache::core {

// More is wanted, and ...
[[nodiscard]] bool guard_vetoes(const Tick& tick);
[[nodiscard]] bool growth_is_cooling_down(const Tick& tick);
[[nodiscard]] bool growth_is_paused(const Tick& tick);
[[nodiscard]] bool at_maximum(const Tick& tick);

// What is known does not carry a smaller count.
[[nodiscard]] bool data_is_partial(const Tick& tick);
[[nodiscard]] bool data_is_suspect(const Tick& tick);
[[nodiscard]] bool one_signal_unknown(const Tick& tick);
[[nodiscard]] bool too_little_fresh_data(const Tick& tick);

// The short window itself needs what is there, or more by no more than the tolerance.
[[nodiscard]] bool steady(const Tick& tick);

[[nodiscard]] bool at_minimum(const Tick& tick);

// The fleet is on the move.
[[nodiscard]] bool drains(const Tick& tick);
[[nodiscard]] bool rollout_in_progress(const Tick& tick);
[[nodiscard]] bool warming(const Tick& tick);

// Less would do, but not yet.
[[nodiscard]] bool cooling_down(const Tick& tick);
[[nodiscard]] bool peak_needs_it(const Tick& tick);
[[nodiscard]] bool patient(const Tick& tick);
[[nodiscard]] bool between_steps(const Tick& tick);
[[nodiscard]] bool shrinking_is_paused(const Tick& tick);

}  // namespace scaledcache::core
