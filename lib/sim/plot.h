// A run as a picture.
#pragma once

#include <iosfwd>

#include "sim/run.h"

namespace scaledcache::sim {

// An SVG: above, the load with the short window and the peak of the long one; below, the replicas
// that are wanted, ready and needed.
void plot(std::ostream& out, const Scenario& scenario, const Run& run);

}  // namespace scaledcache::sim
