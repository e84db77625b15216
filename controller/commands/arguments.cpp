#include "controller/commands/arguments.h"

#include <algorithm>
#include <optional>

#include "base/spelling.h"

namespace scaledcache::controller {
namespace {

Error wrong(std::string message) {
  return Error{ErrorCode::Invalid, std::move(message)};
}

std::string or_one_of(const std::vector<std::string>& choices) {
  std::string text;
  for (const std::string& choice : choices) {
    text += (text.empty() ? "" : &choice == &choices.back() ? " or " : ", ") + choice;
  }
  return text;
}

Error unknown_flag(const CommandSpec& command, const std::string& typed) {
  std::vector<std::string_view> names{help_flag().name};
  for (const Flag& flag : command.flags) {
    names.push_back(flag.name);
  }
  const std::size_t dashes = std::min(typed.find_first_not_of('-'), typed.size());
  const std::string near = nearest(typed.substr(dashes), names);
  return wrong(typed + " is no flag of " + command.name +
               (near.empty() ? "" : "; did you mean --" + near + "?"));
}

// One argument taken apart.
struct Typed {
  std::string name;                  // as typed, with its dashes
  std::optional<std::string> value;  // behind an equals sign
};

Typed take_apart(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos) {
    return {argument, std::nullopt};
  }
  return {argument.substr(0, equals), argument.substr(equals + 1)};
}

const Flag* flag_of(const CommandSpec& command, const std::string& typed) {
  if (typed.starts_with("--")) {
    return find_flag(command, std::string_view(typed).substr(2));
  }
  return typed.size() == 2 ? find_letter(command, typed[1]) : nullptr;
}

std::optional<Error> check_choice(const Flag& flag,
                                  const std::string& typed,
                                  const std::string& value) {
  if (flag.kind != Word::Choice ||
      std::find(flag.choices.begin(), flag.choices.end(), value) != flag.choices.end()) {
    return std::nullopt;
  }
  return wrong(typed + "=\"" + value + "\": use " + or_one_of(flag.choices));
}

}  // namespace

const Flag* find_flag(const CommandSpec& command, std::string_view name) {
  for (const Flag& flag : command.flags) {
    if (flag.name == name) {
      return &flag;
    }
  }
  return name == help_flag().name ? &help_flag() : nullptr;
}

const Flag* find_letter(const CommandSpec& command, char letter) {
  for (const Flag& flag : command.flags) {
    if (flag.letter == letter) {
      return &flag;
    }
  }
  return letter == help_flag().letter ? &help_flag() : nullptr;
}

const Flag& help_flag() {
  static const Flag flag{.name = "help", .value = "", .help = "show this text", .letter = 'h'};
  return flag;
}

Flag kubeconfig_flag() {
  return {.name = "kubeconfig",
          .value = "FILE",
          .help = "kubeconfig to use; default: $KUBECONFIG, else ~/.kube/config",
          .kind = Word::File};
}

Flag context_flag() {
  return {.name = "context",
          .value = "NAME",
          .help = "context of the kubeconfig; default: its current-context"};
}

Flag output_flag(std::vector<std::string> choices) {
  Flag flag{.name = "output", .value = "FORMAT", .help = "", .letter = 'o', .kind = Word::Choice};
  flag.help = or_one_of(choices) + "; default: " + choices.front();
  flag.choices = std::move(choices);
  return flag;
}

bool Arguments::has(std::string_view flag) const {
  return flags_.find(flag) != flags_.end();
}

std::string Arguments::value(std::string_view flag, std::string_view absent) const {
  const auto found = flags_.find(flag);
  return found == flags_.end() ? std::string(absent) : found->second.back();
}

std::vector<std::string> Arguments::values(std::string_view flag) const {
  const auto found = flags_.find(flag);
  return found == flags_.end() ? std::vector<std::string>{} : found->second;
}

Result<Arguments> parse_arguments(const CommandSpec& command,
                                  std::span<const std::string> arguments) {
  Arguments parsed;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--") {
      parsed.words_.insert(parsed.words_.end(), arguments.begin() + static_cast<long>(i) + 1,
                           arguments.end());
      break;
    }
    if (!arguments[i].starts_with('-') || arguments[i] == "-") {
      parsed.words_.push_back(arguments[i]);
      continue;
    }
    Typed typed = take_apart(arguments[i]);
    const Flag* flag = flag_of(command, typed.name);
    if (flag == nullptr) {
      return unknown_flag(command, typed.name);
    }
    if (flag->value.empty()) {
      if (typed.value) {
        return wrong(typed.name + " takes no value");
      }
      parsed.flags_[flag->name].emplace_back("true");
      continue;
    }
    if (!typed.value && i + 1 < arguments.size()) {
      typed.value = arguments[++i];
    }
    if (!typed.value) {
      return wrong(typed.name + " needs a value: " + flag->value);
    }
    if (auto error = check_choice(*flag, typed.name, *typed.value)) {
      return *std::move(error);
    }
    parsed.flags_[flag->name].push_back(*typed.value);
  }
  return parsed;
}

}  // namespace scaledcache::controller
