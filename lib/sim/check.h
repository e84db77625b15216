// Whether a run keeps what its scenario expects.
#pragma once

#include <string>
#include <vector>

#include "sim/run.h"

namespace scaledcache::sim {

struct Broken {
  int line = 0;
  std::string expected;  // as it stands in the file
  std::string seen;
  std::int64_t second = 0;  // where to look
};

[[nodiscard]] std::vector<Broken> check(const Scenario& scenario, const Run& run);

}  // namespace scaledcache::sim
