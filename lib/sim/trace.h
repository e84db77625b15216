// Recorded series from CSV files.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "sim/scenario.h"

namespace scaledcache::sim {

// One column of a CSV file with a header line, and the distance between its rows where the first
// column counts seconds (0 otherwise). Invalid names file, line and column; NotFound where there is
// no such file.
struct TraceColumn {
  std::vector<double> values;
  Milliseconds step{0};
};

[[nodiscard]] Result<TraceColumn> read_trace(const std::string& path, const std::string& column);

// The load of a trace for a fleet with `q` requests per second per replica.
[[nodiscard]] Result<Load> load_of(const TraceSource& source, double q);

}  // namespace scaledcache::sim
