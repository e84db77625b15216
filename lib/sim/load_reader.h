// The loads of a scenario: points or traces. Internal to this room.
#pragma once

#include <string>
#include <vector>

#include "sim/scenario.h"
#include "sim/value.h"

namespace scaledcache::sim {

// What a document needs beside itself.
struct Place {
  std::string file;
  std::string traces;
  std::vector<MissingTrace> missing;
};

// `path` as it is meant in `file`.
[[nodiscard]] std::string beside(const std::string& file, const std::string& path);

// One load for each signal of the scenario's policy, in its order.
void read_loads(const Value& value, Scenario& scenario, Place& place);

}  // namespace scaledcache::sim
