#include "controller/commands/commands.h"

#include <algorithm>
#include <iostream>

#include <unistd.h>

#include "base/spelling.h"
#include "controller/commands/arguments.h"
#include "controller/commands/completion.h"
#include "controller/commands/convert.h"
#include "controller/commands/doctor.h"
#include "controller/commands/explain.h"
#include "controller/commands/help.h"
#include "controller/commands/release.h"
#include "controller/commands/simulate.h"
#include "controller/commands/terminal.h"
#include "controller/commands/validate.h"
#include "controller/commands/yaml_text.h"
#include "controller/version.h"
#include "k8s/scaled_cache.h"

namespace scaledcache::controller {
namespace {

constexpr int kUnreadable = 2;

using Words = std::span<const std::string>;

struct Command {
  const CommandSpec& (*spec)();
  int (*run)(Words arguments, const Console& console, const Environment& environment);
};

const CommandSpec& version_spec() {
  static const CommandSpec spec{.name = "version",
                                .summary = "print the version",
                                .synopses = {"version [flags]"},
                                .description = {},
                                .flags = {output_flag({"text", "json", "yaml"})},
                                .examples = {},
                                .exits = {}};
  return spec;
}

int run_version(Words arguments, const Console& console, const Environment& /*environment*/) {
  const auto parsed = parse_arguments(version_spec(), arguments);
  if (!parsed) {
    console.err << "version: " << parsed.error().message << "\n";
    return kUnreadable;
  }
  const OrderedJson version = {
      {"version", kVersion}, {"apiVersion", k8s::kApiVersion}, {"compiler", __VERSION__}};
  const std::string format = parsed->value("output", "text");
  if (format == "json") {
    console.out << version.dump() << "\n";
  } else if (format == "yaml") {
    console.out << yaml_text(version);
  } else {
    console.out << "scaledcache " << kVersion << "\n";
  }
  return 0;
}

const CommandSpec& completion_spec() {
  static const CommandSpec spec{
      .name = "completion",
      .summary = "print the script that completes commands and flags in a shell",
      .synopses = {"completion bash|zsh|fish"},
      .description = {"The script names every command, flag and choice of this version."},
      .flags = {},
      .examples = {{"completion bash", "In ~/.bashrc: source <(scaledcache completion bash)"},
                   {"completion zsh",
                    "Into a folder of $fpath: scaledcache completion zsh > ~/.zfunc/_scaledcache"},
                   {"completion fish", "Now: scaledcache completion fish | source"}},
      .exits = {},
      .words = Word::Choice,
      .word_choices = {std::begin(kShells), std::end(kShells)}};
  return spec;
}

int run_completion(Words arguments, const Console& console, const Environment& /*environment*/) {
  const std::vector<CommandSpec> commands = all_commands();
  const auto script =
      arguments.size() == 1 ? completion_script(arguments.front(), commands) : std::nullopt;
  if (!script) {
    console.err << "completion: name one of bash, zsh and fish\n";
    return kUnreadable;
  }
  console.out << *script;
  return 0;
}

const CommandSpec& man_spec() {
  static const CommandSpec spec{.name = "man",
                                .summary = "print the manual page",
                                .synopses = {"man"},
                                .description = {},
                                .flags = {},
                                .examples = {{"man", "Read it: scaledcache man | man -l -"}},
                                .exits = {}};
  return spec;
}

int run_man(Words /*arguments*/, const Console& console, const Environment& /*environment*/) {
  const std::vector<CommandSpec> commands = all_commands();
  console.out << manual_page(kVersion, commands);
  return 0;
}

constexpr Command kCommands[] = {
    {controller_spec,
     [](Words arguments, const Console&, const Environment& environment) {
       return run_controller(arguments, environment);
     }},
    {validate_spec,
     [](Words arguments, const Console& console, const Environment&) {
       return validate(arguments, console);
     }},
    {convert_spec,
     [](Words arguments, const Console& console, const Environment&) {
       return convert(arguments, console);
     }},
    {simulate_spec,
     [](Words arguments, const Console& console, const Environment&) {
       return simulate(arguments, console);
     }},
    {explain_spec, explain},
    {doctor_spec, doctor},
    {release_spec, release},
    {completion_spec, run_completion},
    {man_spec, run_man},
    {version_spec, run_version},
};

bool wants_help(Words arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  return std::any_of(arguments.begin(), end, [](const std::string& argument) {
    return argument == "--help" || argument == "-h";
  });
}

const Command* find_command(std::string_view name) {
  for (const Command& command : kCommands) {
    if (command.spec().name == name) {
      return &command;
    }
  }
  return nullptr;
}

int unknown_command(const std::string& name, const Console& console) {
  std::vector<std::string_view> names;
  for (const Command& command : kCommands) {
    names.push_back(command.spec().name);
  }
  const std::string near = nearest(name, names);
  console.err << "\"" << name << "\" is not a command of scaledcache"
              << (near.empty() ? "" : "; did you mean " + near + "?") << "\n`" << console.program
              << " --help` lists them\n";
  return kUnreadable;
}

std::string value_of(const Environment& environment, std::string_view name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

}  // namespace

std::vector<CommandSpec> all_commands() {
  std::vector<CommandSpec> commands;
  for (const Command& command : kCommands) {
    commands.push_back(command.spec());
  }
  return commands;
}

int run_command(std::span<const std::string> arguments,
                const Console& console,
                const Environment& environment) {
  const std::vector<CommandSpec> commands = all_commands();
  if (arguments.empty()) {
    console.err << overview(console.program, commands);
    return kUnreadable;
  }
  std::string name = arguments.front();
  Words rest = arguments.subspan(1);
  if (name == "help" && !rest.empty() && find_command(rest.front()) != nullptr) {
    console.out << help_of(console.program, find_command(rest.front())->spec());
    return 0;
  }
  if (name == "help" || name == "--help" || name == "-h") {
    console.out << overview(console.program, commands);
    return 0;
  }
  name = name == "--version" ? "version" : name;
  const Command* command = find_command(name);
  if (command == nullptr) {
    return unknown_command(name, console);
  }
  if (wants_help(rest)) {
    console.out << help_of(console.program, command->spec());
    return 0;
  }
  return command->run(rest, console, environment);
}

int run_command(std::string_view program, std::span<const std::string> arguments) {
  const Environment environment = read_environment();
  const std::string no_color = value_of(environment, "NO_COLOR");
  const std::string term = value_of(environment, "TERM");
  TerminalBuffer buffer(*std::cout.rdbuf());
  std::ostream terminal(&buffer);
  const Console console{
      .in = std::cin,
      .out = isatty(STDOUT_FILENO) == 1 ? terminal : std::cout,
      .err = std::cerr,
      .paint = {may_paint(STDOUT_FILENO, no_color, term)},
      .paint_err = {may_paint(STDERR_FILENO, no_color, term)},
      .program = program.ends_with("kubectl-scaledcache") ? "kubectl scaledcache" : "scaledcache"};
  return run_command(arguments, console, environment);
}

}  // namespace scaledcache::controller
