// What the command line of `scaledcache simulate` asks for.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/scenario.h"

namespace scaledcache::controller {

struct SimulateOptions {
  std::vector<std::string> files;  // scenarios
  bool table = false;
  bool skip_missing = false;
  std::string csv;
  std::string plot;
  std::vector<std::string> compare;  // "hpa", "keda"
  std::string traces;                // the folder of traces that are not beside their scenario
  std::string policy;                // a manifest, to replay `trace` against
  sim::TraceSource trace;
};

// Reads `args` into `options`. What is wrong with them; empty where nothing is.
[[nodiscard]] std::string read_simulate_options(std::span<const std::string> args,
                                                SimulateOptions& options);

}  // namespace scaledcache::controller
