#include "sim/report.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ostream>

#include "base/duration.h"

namespace scaledcache::sim {
namespace {

std::string at(std::int64_t second) {
  return format_duration(std::chrono::seconds{second});
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size() + 1), ' ');
  return text;
}

std::string number(double value, int digits, int width = 0) {
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(), "%*.*f", width, digits, value);
  return text.data();
}

void print_step(std::ostream& out, const Step& step) {
  const std::string count = step.from == step.to
                                ? std::to_string(step.to)
                                : std::to_string(step.from) + " -> " + std::to_string(step.to);
  out << "  " << padded(at(step.second), 11) << padded(count, 11)
      << padded(std::string(core::name_of(step.reason)), 18) << step.sentence << '\n';
}

}  // namespace

void print_table(std::ostream& out, const Run& run) {
  for (const Step& step : run.steps) {
    if (!step.sentence.empty()) {
      print_step(out, step);
    }
  }
}

void print_broken(std::ostream& out,
                  const Scenario& scenario,
                  const Run& run,
                  const Broken& broken) {
  constexpr std::int64_t kAround = 60;
  out << "  " << scenario.file << ":" << broken.line << ": expected " << broken.expected << ", saw "
      << broken.seen << '\n';
  const Step* before = nullptr;
  for (const Step& step : run.steps) {
    if (step.sentence.empty() || step.second > broken.second + kAround) {
      continue;
    }
    if (step.second < broken.second - kAround) {
      before = &step;
      continue;
    }
    if (before != nullptr) {
      print_step(out, *before);
      before = nullptr;
    }
    print_step(out, step);
  }
  if (before != nullptr) {
    print_step(out, *before);
  }
}

void print_csv(std::ostream& out, const Scenario& scenario, const Run& run) {
  out << "scenario,second,offered,short,level,peak,replicas,ready,demand,wish,shrink_to,reason\n";
  std::string name = scenario.name;
  std::replace(name.begin(), name.end(), '"', '\'');
  for (const Step& step : run.steps) {
    const Moment& moment = run.moments[static_cast<std::size_t>(step.second)];
    out << '"' << name << "\"," << step.second << ',' << number(moment.offered, 3) << ','
        << number(step.short_rate, 3) << ',' << number(step.level, 3) << ',' << number(step.peak, 3)
        << ',' << moment.replicas << ',' << moment.ready << ',' << moment.demand << ',' << step.wish
        << ',' << step.shrink_to << ',' << core::name_of(step.reason) << '\n';
  }
}

void print_comparison(std::ostream& out, const std::vector<Compared>& rows) {
  out << "  " << padded("rule", 26)
      << "theta_U %  theta_O %  unserved %  changes/h  reversals/day  replica-hours\n";
  for (const Compared& row : rows) {
    const Figures& f = row.figures;
    const double hours = std::max(f.hours, 1e-9);
    out << "  " << padded(row.name, 26) << number(f.under, 3, 9) << "  " << number(f.over, 3, 9)
        << "  " << number(f.unserved, 3, 10) << "  " << number(f.changes / hours, 2, 9) << "  "
        << number(f.reversals * 24 / hours, 1, 13) << "  " << number(f.cost, 1, 13) << '\n';
  }
}

}  // namespace scaledcache::sim
