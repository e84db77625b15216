// What a decision was made from, as JSON in its log line, and back: anybody who has the line can
// make the decision again. Pure.
#pragma once

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "core/history.h"
#include "core/observation.h"
#include "core/policy.h"

namespace scaledcache::controller {

// The arguments of core::decide.
struct DecisionInputs {
  core::Policy policy;
  core::Observation observation;
  core::History history;
  WallTime now;
};

// Members that have their default value are left out; times are milliseconds since 1970, durations
// milliseconds, windows of buckets flat arrays of numbers.
[[nodiscard]] nlohmann::ordered_json record_inputs(const DecisionInputs& inputs);

// The inverse: decide() on the result gives the same decision, bit for bit. Protocol names the
// member that cannot be read.
[[nodiscard]] Result<DecisionInputs> read_inputs(const Json& record);

}  // namespace scaledcache::controller
