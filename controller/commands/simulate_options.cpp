#include "controller/commands/simulate_options.h"

#include <charconv>
#include <optional>
#include <string_view>

#include "base/duration.h"
#include "controller/commands/arguments.h"
#include "controller/commands/simulate.h"

namespace scaledcache::controller {
namespace {

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

// What is wrong with the values of flags; nothing where they were taken.
std::optional<std::string> take_values(const Arguments& arguments, SimulateOptions& options) {
  struct Taken {
    const char* flag;
    std::optional<std::string> wrong;
  };

  const auto take = [&](const char* flag, const auto& taker, auto& into) -> Taken {
    return {flag, arguments.has(flag) ? taker(arguments.value(flag), into) : std::nullopt};
  };
  for (const Taken& taken :
       {take("compare", take_list, options.compare), take("step", take_time, options.trace.step),
        take("per", take_time, options.trace.per), take("skip", take_time, options.trace.skip),
        take("peak-replicas", take_number, options.trace.peak_replicas)}) {
    if (taken.wrong) {
      return "--" + std::string(taken.flag) + ": " + *taken.wrong;
    }
  }
  options.files = arguments.words();
  options.table = arguments.has("table");
  options.skip_missing = arguments.has("skip-missing");
  options.csv = arguments.value("csv");
  options.plot = arguments.value("plot");
  options.traces = arguments.value("traces", options.traces);
  options.policy = arguments.value("policy");
  options.trace.path = arguments.value("trace");
  options.trace.column = arguments.value("column", options.trace.column);
  return std::nullopt;
}

}  // namespace

std::string read_simulate_options(std::span<const std::string> args, SimulateOptions& options) {
  const auto arguments = parse_arguments(simulate_spec(), args);
  if (!arguments) {
    return arguments.error().message;
  }
  if (const auto wrong = take_values(*arguments, options)) {
    return *wrong;
  }
  if (options.policy.empty() != options.trace.path.empty()) {
    return "--policy and --trace belong together";
  }
  if (options.policy.empty() && options.files.empty()) {
    return "name at least one scenario file, or --policy and --trace";
  }
  return {};
}

}  // namespace scaledcache::controller
