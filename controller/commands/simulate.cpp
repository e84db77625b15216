#include "controller/commands/simulate.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <ostream>
#include <string_view>
#include <vector>

#include "base/duration.h"
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

constexpr std::string_view kUsage =
    "Usage: scaledcache simulate [options] FILE...\n"
    "       scaledcache simulate [options] --policy MANIFEST --trace FILE.csv\n"
    "\n"
    "Plays each scenario with the real decision code on a simulated clock.\n"
    "\n"
    "  --table              print every change of the count and of the reason\n"
    "  --csv FILE           write the whole series, one line per tick\n"
    "  --plot FILE.svg      draw load, windows and replicas\n"
    "  --compare hpa,keda   print elasticity figures beside those of the HPA and of KEDA\n"
    "  --traces DIR         look here for traces that are not beside their scenario\n"
    "                       (default: the environment's SCALEDCACHE_TRACES)\n"
    "  --skip-missing       leave out, by name, scenarios whose trace is not there\n"
    "  --policy MANIFEST    a ScaledCache manifest to replay a trace against\n"
    "  --trace FILE.csv     requests per row\n"
    "  --column NAME        which column (default: the last)\n"
    "  --step, --per TIME   distance of rows, and the time that a count covers\n"
    "  --skip TIME          leave out the beginning\n"
    "  --peak-replicas N    scale the trace so that its peak needs N replicas\n";

struct Options {
  std::vector<std::string> files;
  bool table = false;
  bool help = false;
  bool skip_missing = false;
  std::string csv;
  std::string plot;
  std::vector<std::string> compare;
  std::string traces;
  std::string policy;
  sim::TraceSource trace;
};

std::optional<std::string> take_list(const std::string& text, std::vector<std::string>& into) {
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view name = rest.substr(0, comma);
    if (name != "hpa" && name != "keda") {
      return "\"" + std::string(name) + "\" is none of hpa, keda";
    }
    into.emplace_back(name);
    if (comma == std::string_view::npos) {
      return std::nullopt;
    }
    rest.remove_prefix(comma + 1);
  }
}

std::optional<std::string> take_time(const std::string& text, Milliseconds& into) {
  const auto parsed = parse_duration(text);
  if (!parsed) {
    return parsed.error().message;
  }
  into = *parsed;
  return std::nullopt;
}

std::optional<std::string> take_number(const std::string& text, double& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  const bool whole = error == std::errc{} && end == text.data() + text.size() && into > 0;
  return whole ? std::nullopt : std::optional("\"" + text + "\" is not a number above 0");
}

std::optional<std::string> take_text(const std::string& text, std::string& into) {
  into = text;
  return std::nullopt;
}

// What is wrong with the value of a flag; nothing where it was taken.
std::optional<std::string> take_value(const std::string& flag,
                                      const std::string& value,
                                      Options& options) {
  if (flag == "--csv") {
    return take_text(value, options.csv);
  }
  if (flag == "--plot") {
    return take_text(value, options.plot);
  }
  if (flag == "--compare") {
    return take_list(value, options.compare);
  }
  if (flag == "--traces") {
    return take_text(value, options.traces);
  }
  if (flag == "--policy") {
    return take_text(value, options.policy);
  }
  if (flag == "--trace") {
    return take_text(value, options.trace.path);
  }
  if (flag == "--column") {
    return take_text(value, options.trace.column);
  }
  if (flag == "--step") {
    return take_time(value, options.trace.step);
  }
  if (flag == "--per") {
    return take_time(value, options.trace.per);
  }
  if (flag == "--skip") {
    return take_time(value, options.trace.skip);
  }
  if (flag == "--peak-replicas") {
    return take_number(value, options.trace.peak_replicas);
  }
  return "is no flag of simulate";
}

bool take_switch(const std::string& flag, Options& options) {
  if (flag == "--table") {
    options.table = true;
  } else if (flag == "--help" || flag == "-h") {
    options.help = true;
  } else if (flag == "--skip-missing") {
    options.skip_missing = true;
  } else {
    return false;
  }
  return true;
}

// Takes the flag at `index`, and its value where that is the next argument. What is wrong; empty
// where nothing is.
std::string take_flag(std::span<const std::string> args, std::size_t& index, Options& options) {
  std::string flag = args[index];
  if (take_switch(flag, options)) {
    return {};
  }
  std::optional<std::string> value;
  const std::size_t equals = flag.find('=');
  if (equals != std::string::npos) {
    value = flag.substr(equals + 1);
    flag.resize(equals);
  } else if (index + 1 < args.size()) {
    value = args[++index];
  }
  if (const auto wrong = take_value(flag, value.value_or(""), options)) {
    return flag + ": " + *wrong;
  }
  return value ? "" : flag + ": needs a value";
}

// What is wrong with the arguments; empty where nothing is.
std::string parse(std::span<const std::string> args, Options& options) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!args[i].starts_with("-")) {
      options.files.push_back(args[i]);
    } else if (std::string wrong = take_flag(args, i, options); !wrong.empty()) {
      return wrong;
    }
  }
  if (options.help) {
    return {};
  }
  if (options.policy.empty() != options.trace.path.empty()) {
    return "--policy and --trace belong together";
  }
  if (options.policy.empty() && options.files.empty()) {
    return "name at least one scenario file, or --policy and --trace";
  }
  return {};
}

// Reads everything before anything is played: a file that cannot be read is found at once.
bool read_all(const Options& options,
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
             const Options& options,
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
                         const Options& options,
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
             const Options& options,
             std::ostream& out,
             std::ostream& err) {
  Outputs outputs;
  if (!options.csv.empty()) {
    outputs.csv.open(options.csv);
  }
  int passed = 0;
  int failed = 0;
  for (const sim::Scenario& scenario : scenarios) {
    const std::optional<bool> holds = play(scenario, options, outputs, out);
    if (!holds || (!options.csv.empty() && !outputs.csv)) {
      err << "simulate: " << (holds ? options.csv : options.plot) << ": cannot be written\n";
      return kUnreadable;
    }
    ++(*holds ? passed : failed);
  }
  out << passed << " passed, " << failed << " failed\n";
  return failed == 0 ? kHolds : kBroken;
}

}  // namespace

int simulate(std::span<const std::string> args, std::ostream& out, std::ostream& err) {
  Options options;
  if (const char* traces = std::getenv("SCALEDCACHE_TRACES")) {  // NOLINT(concurrency-mt-unsafe)
    options.traces = traces;
  }
  const std::string wrong = parse(args, options);
  if (!wrong.empty()) {
    err << "simulate: " << wrong << "\n\n" << kUsage;
    return kUnreadable;
  }
  if (options.help) {
    out << kUsage;
    return kHolds;
  }
  std::vector<sim::Scenario> scenarios;
  if (!read_all(options, scenarios, out, err)) {
    return kUnreadable;
  }
  return play_all(scenarios, options, out, err);
}

}  // namespace scaledcache::controller
