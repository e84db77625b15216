#include "controller/commands/simulate.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <ostream>
#include <sstream>
#include <vector>

#include "controller/commands/help.h"
#include "controller/commands/progress.h"
#include "controller/commands/simulate_options.h"
#include "sim/check.h"
#include "sim/plot.h"
#include "sim/report.h"
#include "sim/run.h"
#include "sim/scenario.h"
#include "sim/textbook.h"

namespace scaledcache::controller {
namespace {

constexpr int kHolds = 0;
constexpr int kBroken = 1;
constexpr int kUnreadable = 2;

// Reads everything before anything is played: a file that cannot be read is found at once.
bool read_all(const SimulateOptions& options,
              std::vector<sim::Scenario>& scenarios,
              std::ostream& out,
              std::ostream& err) {
  bool good = true;
  for (const std::string& file : options.files) {
    Result<sim::ScenarioFile> read = sim::read_scenarios(file, options.traces);
    if (!read) {
      err << read.error().message << '\n';
      good = false;
      continue;
    }
    for (const sim::MissingTrace& missing : read->missing) {
      if (options.skip_missing) {
        out << "skip " << missing.name << " (no " << missing.path << ")\n";
      } else {
        err << file << ": load.trace: " << missing.path << " cannot be read\n";
        good = false;
      }
    }
    for (sim::Scenario& scenario : read->scenarios) {
      scenarios.push_back(std::move(scenario));
    }
  }
  if (!options.policy.empty()) {
    Result<sim::Scenario> read = sim::scenario_of(options.policy, options.trace);
    if (!read) {
      err << read.error().message << '\n';
      return false;
    }
    scenarios.push_back(*std::move(read));
  }
  return good;
}

void compare(const sim::Scenario& scenario,
             const sim::Run& run,
             const SimulateOptions& options,
             std::ostream& out) {
  const double carries = sim::carries(scenario);
  const std::int64_t end = scenario.end.count() / 1000;
  const auto figures = [&](const sim::Run& played) {
    return sim::figures_of(played, carries, 0, end);
  };
  std::vector<sim::Compared> rows{{"scaledcache", figures(run)}};
  for (const std::string& name : options.compare) {
    if (name == "keda") {
      rows.push_back({"KEDA, rate[2m]", figures(sim::run_textbook(scenario, sim::keda_rule()))});
      continue;
    }
    rows.push_back({"HPA at 100 %", figures(sim::run_textbook(scenario, sim::hpa_rule()))});
    const sim::TextbookRule near = sim::hpa_rule_at_cost(scenario, rows.front().figures.cost);
    rows.push_back(
        {"HPA at that cost (" + std::to_string(std::lround(near.target_share * 100)) + " %)",
         figures(sim::run_textbook(scenario, near))});
  }
  sim::print_comparison(out, rows);
}

struct Outputs {
  std::ofstream csv;
  std::size_t plots = 0;
};

// The first picture has the name that was given, the others a number before the extension.
std::string plot_name(const std::string& name, std::size_t index) {
  if (index == 0) {
    return name;
  }
  const std::size_t dot = name.rfind('.');
  const std::string number = "-" + std::to_string(index + 1);
  return dot == std::string::npos ? name + number : name.substr(0, dot) + number + name.substr(dot);
}

// Plays one scenario; true when all that it expects holds, nothing when an output cannot be
// written.
std::optional<bool> play(const sim::Scenario& scenario,
                         const SimulateOptions& options,
                         Outputs& outputs,
                         std::ostream& out) {
  const sim::Run run = sim::run(scenario);
  const std::vector<sim::Broken> broken = sim::check(scenario, run);
  out << (broken.empty() ? "ok   " : "FAIL ") << scenario.name << '\n';
  for (const sim::Broken& one : broken) {
    sim::print_broken(out, scenario, run, one);
  }
  if (options.table) {
    sim::print_table(out, run);
  }
  if (!options.compare.empty()) {
    compare(scenario, run, options, out);
  }
  if (!options.csv.empty()) {
    sim::print_csv(outputs.csv, scenario, run);
  }
  if (!options.plot.empty()) {
    std::ofstream picture(plot_name(options.plot, outputs.plots++));
    sim::plot(picture, scenario, run);
    if (!picture.flush()) {
      return std::nullopt;
    }
  }
  return broken.empty();
}

// Plays all of them; the exit status.
int play_all(const std::vector<sim::Scenario>& scenarios,
             const SimulateOptions& options,
             const Console& console) {
  Outputs outputs;
  if (!options.csv.empty()) {
    outputs.csv.open(options.csv);
  }
  int passed = 0;
  int failed = 0;
  Progress progress(console, scenarios.size());
  for (const sim::Scenario& scenario : scenarios) {
    std::ostringstream told;
    const std::optional<bool> holds = play(scenario, options, outputs, told);
    progress.wipe();
    console.out << told.str() << std::flush;
    if (!holds || (!options.csv.empty() && !outputs.csv)) {
      console.err << "simulate: " << (holds ? options.csv : options.plot)
                  << ": cannot be written\n";
      return kUnreadable;
    }
    ++(*holds ? passed : failed);
    progress.step();
  }
  progress.wipe();
  console.out << passed << " passed, " << failed << " failed\n";
  return failed == 0 ? kHolds : kBroken;
}

}  // namespace

const CommandSpec& simulate_spec() {
  static const CommandSpec spec{
      .name = "simulate",
      .summary = "play scenario files against the decision code",
      .synopses = {"simulate [flags] FILE...",
                   "simulate [flags] --policy MANIFEST --trace FILE.csv"},
      .description =
          {"Plays each scenario with the real decision code on a simulated clock, in a loop with a "
           "small model of a fleet, and checks what the file expects. The files are described in "
           "docs/simulate.md."},
      .flags =
          {{.name = "table",
            .value = "",
            .help = "print every change of the count and of the reason"},
           {.name = "csv",
            .value = "FILE",
            .help = "write the whole series, one line per tick",
            .kind = Word::File},
           {.name = "plot",
            .value = "FILE.svg",
            .help = "draw load, windows and replicas",
            .kind = Word::File},
           {.name = "compare",
            .value = "hpa,keda",
            .help = "print elasticity figures beside those of the HPA and of KEDA"},
           {.name = "traces",
            .value = "FOLDER",
            .help = "look here for traces that are not beside their scenario; default: "
                    "$SCALEDCACHE_TRACES",
            .kind = Word::Folder},
           {.name = "skip-missing",
            .value = "",
            .help = "leave out, by name, scenarios whose trace is not there"},
           {.name = "policy",
            .value = "MANIFEST",
            .help = "a ScaledCache manifest to replay a trace against",
            .kind = Word::File},
           {.name = "trace", .value = "FILE.csv", .help = "requests per row", .kind = Word::File},
           {.name = "column", .value = "NAME", .help = "of the trace; default: the last"},
           {.name = "step", .value = "TIME", .help = "distance of the trace's rows"},
           {.name = "per", .value = "TIME", .help = "the time that a count covers"},
           {.name = "skip", .value = "TIME", .help = "leave out the beginning"},
           {.name = "peak-replicas",
            .value = "N",
            .help = "scale the trace so that its peak needs N replicas"}},
      .examples =
          {{"simulate --table tests/cases/bursts.yaml", "Scenarios, with every decision"},
           {"simulate --policy blog.yaml --trace day.csv --step 60s --per 60s --compare hpa,keda",
            "A recorded day, beside the HPA and KEDA"}},
      .exits = {{0, "every expectation holds"},
                {1, "one does not"},
                {2, "wrong arguments, or a file that cannot be read"}},
      .words = Word::File};
  return spec;
}

int simulate(std::span<const std::string> args, const Console& console) {
  SimulateOptions options;
  if (const char* traces = std::getenv("SCALEDCACHE_TRACES")) {  // NOLINT(concurrency-mt-unsafe)
    options.traces = traces;
  }
  const std::string wrong = read_simulate_options(args, options);
  if (!wrong.empty()) {
    console.err << "simulate: " << wrong << "\n\n" << usage_of(console.program, simulate_spec());
    return kUnreadable;
  }
  std::vector<sim::Scenario> scenarios;
  if (!read_all(options, scenarios, console.out, console.err)) {
    return kUnreadable;
  }
  return play_all(scenarios, options, console);
}

}  // namespace scaledcache::controller
