#include "controller/commands/completion.h"

namespace scaledcache::controller {
namespace {

using Commands = std::span<const CommandSpec>;

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

std::string names_of(Commands commands) {
  std::vector<std::string> names;
  for (const CommandSpec& command : commands) {
    names.push_back(command.name);
  }
  return joined(names);
}

// For single quotes of a shell.
std::string quoted(std::string_view text) {
  std::string safe = "'";
  for (const char c : text) {
    safe += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return safe + "'";
}

std::vector<Flag> flags_of(const CommandSpec& command) {
  std::vector<Flag> flags = command.flags;
  if (flags.empty() || flags.back().name != help_flag().name) {
    flags.push_back(help_flag());
  }
  return flags;
}

// ------------------------------------------------------------------------ bash

// What bash offers for a value or a word, as a command that fills COMPREPLY.
std::string bash_offer(Word kind, const std::vector<std::string>& choices) {
  switch (kind) {
    case Word::File:
      return "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$current\"))";
    case Word::Folder:
      return "compopt -o filenames; COMPREPLY=($(compgen -d -- \"$current\"))";
    case Word::Choice:
      return "COMPREPLY=($(compgen -W " + quoted(joined(choices)) + " -- \"$current\"))";
    case Word::None:
    case Word::Text:
      return "COMPREPLY=()";
  }
  return "COMPREPLY=()";
}

std::string bash_command(const CommandSpec& command) {
  std::vector<std::string> names;
  std::string values;
  for (const Flag& flag : flags_of(command)) {
    names.push_back("--" + flag.name);
    if (!flag.value.empty()) {
      const std::string letter = flag.letter == 0 ? "" : std::string("|-") + flag.letter;
      values += "        --" + flag.name + letter + ") " + bash_offer(flag.kind, flag.choices) +
                "; return ;;\n";
    }
  }
  std::string text = "    " + command.name + ")\n";
  if (!values.empty()) {
    text += "      case \"$before\" in\n" + values + "      esac\n";
  }
  return text + "      if [[ $current == -* ]]; then COMPREPLY=($(compgen -W " +
         quoted(joined(names)) + " -- \"$current\")); return; fi\n      " +
         bash_offer(command.words, command.word_choices) + " ;;\n";
}

std::string bash(Commands commands) {
  std::string text =
      "# bash completion of scaledcache: source <(scaledcache completion bash)\n"
      "_scaledcache() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  if ((COMP_CWORD == 1)); then\n    COMPREPLY=($(compgen -W " +
      quoted(names_of(commands)) +
      " -- \"$current\"))\n    return\n  fi\n"
      // "=" splits words in bash: in --output=js the word before is "=".
      "  if [[ $before == '=' ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
      "  if [[ $current == '=' ]]; then current=; fi\n"
      "  case \"${COMP_WORDS[1]}\" in\n";
  for (const CommandSpec& command : commands) {
    text += bash_command(command);
  }
  return text +
         "  esac\n}\ncomplete -F _scaledcache scaledcache\ncomplete -F _scaledcache "
         "kubectl-scaledcache\n";
}

// ------------------------------------------------------------------------- zsh

std::string zsh_offer(Word kind, const std::vector<std::string>& choices) {
  switch (kind) {
    case Word::File:
      return "_files";
    case Word::Folder:
      return "_files -/";
    case Word::Choice:
      return "(" + joined(choices) + ")";
    case Word::None:
    case Word::Text:
      return " ";
  }
  return " ";
}

// Brackets and colons mean something to _arguments.
std::string zsh_text(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') {
      safe += '\\';
    }
    safe += c;
  }
  return safe;
}

std::string zsh_flag(const Flag& flag) {
  const std::string equals = flag.value.empty() ? "" : "=";
  const std::string value =
      flag.value.empty() ? ""
                         : ":" + zsh_text(flag.value) + ":" + zsh_offer(flag.kind, flag.choices);
  const std::string star = flag.repeats ? "*" : "";
  std::string text = "        " + quoted(star + "--" + flag.name + equals + "[" +
                                         zsh_text(flag.help) + "]" + value);
  if (flag.letter != 0) {
    text += " \\\n        " +
            quoted(star + "-" + flag.letter + "[" + zsh_text(flag.help) + "]" + value);
  }
  return text;
}

std::string zsh_command(const CommandSpec& command) {
  std::string text = "    " + command.name + ")\n      _arguments";
  for (const Flag& flag : flags_of(command)) {
    text += " \\\n" + zsh_flag(flag);
  }
  if (command.words != Word::None) {
    text += " \\\n        " + quoted("*:word:" + zsh_offer(command.words, command.word_choices));
  }
  return text + " ;;\n";
}

std::string zsh(Commands commands) {
  std::string text =
      "#compdef scaledcache kubectl-scaledcache\n"
      "# zsh completion of scaledcache: put it into a folder of $fpath as _scaledcache\n"
      "_scaledcache() {\n  if ((CURRENT == 2)); then\n    local -a commands\n    commands=(\n";
  for (const CommandSpec& command : commands) {
    text += "      " + quoted(command.name + ":" + zsh_text(command.summary)) + "\n";
  }
  text +=
      "    )\n    _describe command commands\n    return\n  fi\n"
      "  local command=$words[2]\n  shift words\n  ((CURRENT--))\n  case $command in\n";
  for (const CommandSpec& command : commands) {
    text += zsh_command(command);
  }
  return text +
         "  esac\n}\nif [[ $funcstack[1] == _scaledcache ]]; then _scaledcache \"$@\"; else "
         "compdef _scaledcache scaledcache kubectl-scaledcache; fi\n";
}

// ------------------------------------------------------------------------ fish

std::string fish_flag(const std::string& command, const Flag& flag) {
  std::string text = "complete -c scaledcache -n '__fish_seen_subcommand_from " + command + "'";
  if (flag.letter != 0) {
    text += std::string(" -s ") + flag.letter;
  }
  text += " -l " + flag.name + " -d " + quoted(flag.help);
  if (flag.value.empty()) {
    return text + "\n";
  }
  switch (flag.kind) {
    case Word::Choice:
      return text + " -x -a " + quoted(joined(flag.choices)) + "\n";
    case Word::File:
      return text + " -r -F\n";
    case Word::Folder:
      return text + " -x -a '(__fish_complete_directories)'\n";
    case Word::None:
    case Word::Text:
      return text + " -x\n";
  }
  return text + "\n";
}

std::string fish(Commands commands) {
  std::string text =
      "# fish completion of scaledcache: scaledcache completion fish | source\n"
      "complete -c scaledcache -f\n";
  for (const CommandSpec& command : commands) {
    text += "complete -c scaledcache -n __fish_use_subcommand -a " + command.name + " -d " +
            quoted(command.summary) + "\n";
    for (const Flag& flag : flags_of(command)) {
      text += fish_flag(command.name, flag);
    }
    if (command.words == Word::File || command.words == Word::Folder) {
      text += "complete -c scaledcache -n '__fish_seen_subcommand_from " + command.name + "' -F\n";
    } else if (command.words == Word::Choice) {
      text += "complete -c scaledcache -n '__fish_seen_subcommand_from " + command.name + "' -a " +
              quoted(joined(command.word_choices)) + "\n";
    }
  }
  return text;
}

}  // namespace

std::optional<std::string> completion_script(std::string_view shell, Commands commands) {
  if (shell == "bash") {
    return bash(commands);
  }
  if (shell == "zsh") {
    return zsh(commands);
  }
  if (shell == "fish") {
    return fish(commands);
  }
  return std::nullopt;
}

}  // namespace scaledcache::controller
