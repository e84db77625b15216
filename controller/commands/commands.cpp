#include "controller/commands/commands.h"

#include <array>
#include <iostream>

#include "controller/commands/explain.h"
#include "controller/commands/simulate.h"
#include "controller/version.h"

namespace scaledcache::controller {
namespace {

struct Command {
  std::string_view name;
  std::string_view help;
  int (*run)(std::span<const std::string> arguments);
};

int run_version(std::span<const std::string> /*arguments*/) {
  std::cout << "scaledcache " << kVersion << "\n";
  return 0;
}

int run_simulate(std::span<const std::string> arguments) {
  return simulate(arguments, std::cout, std::cerr);
}

int run_explain(std::span<const std::string> arguments) {
  return explain(arguments, std::cin, std::cout, std::cerr);
}

constexpr std::array kCommands{
    Command{"controller", "watch ScaledCaches and scale their targets", run_controller},
    Command{"simulate", "play scenario files against the decision code", run_simulate},
    Command{"explain", "make the decisions of a log again, and say which differ", run_explain},
    Command{"version", "print the version", run_version},
};

void print_help(std::ostream& out) {
  out << "ScaledCache, an autoscaler for fleets of caches on Kubernetes.\n\n"
         "Usage: scaledcache COMMAND [--help | flags]\n\n";
  for (const Command& command : kCommands) {
    out << "  " << command.name << std::string(14 - command.name.size(), ' ') << command.help
        << "\n";
  }
}

}  // namespace

int run_command(std::span<const std::string> arguments) {
  if (arguments.empty()) {
    print_help(std::cerr);
    return 2;
  }
  const std::string& name = arguments.front();
  if (name == "help" || name == "--help" || name == "-h") {
    print_help(std::cout);
    return 0;
  }
  for (const Command& command : kCommands) {
    if (command.name == name || (command.name == "version" && name == "--version")) {
      return command.run(arguments.subspan(1));
    }
  }
  std::cerr << "\"" << name << "\" is not a command of scaledcache\n\n";
  print_help(std::cerr);
  return 2;
}

}  // namespace scaledcache::controller
