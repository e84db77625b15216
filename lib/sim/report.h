// Runs in words and numbers.
#pragma once

#include <iosfwd>
#include <string>

#include "sim/check.h"
#include "sim/figures.h"
#include "sim/run.h"

namespace scaledcache::sim {

// Every change of the count and, indented, every change of the reason.
void print_table(std::ostream& out, const Run& run);

// What was expected, what was seen, and the decisions around it.
void print_broken(std::ostream& out,
                  const Scenario& scenario,
                  const Run& run,
                  const Broken& broken);

// A header line, and one line per tick.
void print_csv(std::ostream& out, const Scenario& scenario, const Run& run);

// Elasticity figures, side by side.
struct Compared {
  std::string name;
  Figures figures;
};

void print_comparison(std::ostream& out, const std::vector<Compared>& rows);

}  // namespace scaledcache::sim
