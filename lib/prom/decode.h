// Answers of the Prometheus HTTP API as values. The bytes come from a stranger: whatever they are,
// the result is a value or one of these errors, whose messages are fixed phrases.
//   NoData       the answer is sound and empty
//   Invalid      the backend says that the query is wrong or cannot be run
//   Unavailable  the backend says that it failed or ran out of time
//   Protocol     no JSON, no answer of this API, of the wrong type, or past a limit
#pragma once

#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "core/observation.h"
#include "core/samples.h"
#include "prom/answer_handler.h"

namespace scaledcache::prom {

// The answer to a range selector or a range query. Staleness markers stay in it as NaN, and so do
// infinite and negative samples. Labels are sorted by name; no series is without samples.
struct SeriesAnswer {
  std::vector<core::Series> series;
  bool partial = false;  // the backend says that data are missing
  int warnings = 0;
};

// The answer to a query that should give one number.
struct ValueAnswer {
  // None, NotANumber, Infinite, Negative, SeveralElements or WrongType (a matrix, a string, a
  // histogram).
  core::Fault fault = core::Fault::None;
  double value = 0;  // 0 unless fault is None
  WallTime time{};   // when the backend evaluated it, by its own clock
  bool partial = false;
  int warnings = 0;
};

[[nodiscard]] Result<SeriesAnswer> decode_series(std::string_view body, DecodeLimits limits = {});
[[nodiscard]] Result<ValueAnswer> decode_value(std::string_view body, DecodeLimits limits = {});

}  // namespace scaledcache::prom
