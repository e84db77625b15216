// A run as a picture.
#pragma once

#include <iosfwd>

#include "sim/run.h"

namespace scaledcache::sim {

// An SVG: above, the load with the short window and the peak of the long one; below, wanted, ready
// and needed replicas; along the foot, the reasons.
void plot(std::ostream& out, const Scenario& scenario, const Run& run);

}  // namespace scaledcache::sim
