// What a scenario expects. Internal to this room.
#pragma once

#include "sim/scenario.h"
#include "sim/value.h"

namespace scaledcache::sim {

inline constexpr Milliseconds kOpenEnd{-1};  // `to` of an expectation over the whole run

void read_expectations(const Value& value, Scenario& scenario);

}  // namespace scaledcache::sim
