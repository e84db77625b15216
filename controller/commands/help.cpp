#include "controller/commands/help.h"

#include <algorithm>

namespace scaledcache::controller {
namespace {

constexpr std::size_t kWidth = 88;
constexpr std::string_view kWhat = "ScaledCache, an autoscaler for fleets of caches on Kubernetes.";

// "-o, --output FORMAT"
std::string form_of(const Flag& flag) {
  std::string text = flag.letter == 0 ? "    " : std::string("-") + flag.letter + ", ";
  text += "--" + flag.name;
  return flag.value.empty() ? text : text + " " + flag.value;
}

// `text` in lines of at most kWidth, each behind `indent` blanks; the first goes on at `column`.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t column) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    if (column > indent && column + 1 + word.size() > kWidth) {
      lines += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += word.size();
  }
  return lines + "\n";
}

// Two columns, the second wrapped.
std::string row_of(const std::string& left, std::string_view right, std::size_t width) {
  const std::size_t indent = width + 4;
  std::string text = "  " + left;
  if (text.size() + 2 > indent) {
    text += "\n" + std::string(indent, ' ');
  } else {
    text += std::string(indent - text.size(), ' ');
  }
  return text + wrapped(right, indent, indent);
}

std::vector<Flag> all_flags(const CommandSpec& command) {
  std::vector<Flag> flags = command.flags;
  if (std::none_of(flags.begin(), flags.end(),
                   [](const Flag& flag) { return flag.name == help_flag().name; })) {
    flags.push_back(help_flag());
  }
  return flags;
}

// Text for roff: no line starts with a dot, dashes are dashes.
std::string roff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else if ((c == '.' || c == '\'') && (escaped.empty() || escaped.back() == '\n')) {
      escaped += std::string("\\&") + c;
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string manual_of(const CommandSpec& command) {
  std::string text = ".SS " + roff(command.name) + "\n";
  for (const std::string& synopsis : command.synopses) {
    text += ".B " + roff("scaledcache " + synopsis) + "\n.br\n";
  }
  text += ".PP\n" + roff(command.summary) + ".\n";
  for (const std::string& paragraph : command.description) {
    text += ".PP\n" + roff(paragraph) + "\n";
  }
  for (const Flag& flag : command.flags) {
    const std::string form = form_of(flag);
    text += ".TP\n.B " + roff(form.substr(std::min(form.find_first_not_of(' '), form.size()))) +
            "\n" + roff(flag.help) + "\n";
  }
  for (const Example& example : command.examples) {
    text += ".PP\n" + roff(example.what) + ":\n.PP\n.RS\n.nf\n" +
            roff("scaledcache " + example.line) + "\n.fi\n.RE\n";
  }
  for (const ExitStatus& exit : command.exits) {
    text += ".TP\n.B exit status " + std::to_string(exit.code) + "\n" + roff(exit.when) + "\n";
  }
  return text;
}

}  // namespace

std::string overview(std::string_view program, std::span<const CommandSpec> commands) {
  std::string text =
      std::string(kWhat) + "\n\nUsage: " + std::string(program) + " COMMAND [--help | flags]\n\n";
  std::size_t width = 0;
  for (const CommandSpec& command : commands) {
    width = std::max(width, command.name.size());
  }
  for (const CommandSpec& command : commands) {
    text += row_of(command.name, command.summary, width);
  }
  return text + "\n`" + std::string(program) +
         " COMMAND --help` tells the flags of a command, with examples.\n";
}

std::string usage_of(std::string_view program, const CommandSpec& command) {
  std::string text;
  for (const std::string& synopsis : command.synopses) {
    text += (text.empty() ? "Usage: " : "       ") + std::string(program) + " " + synopsis + "\n";
  }
  return text;
}

std::string help_of(std::string_view program, const CommandSpec& command) {
  std::string text = usage_of(program, command);
  for (const std::string& paragraph : command.description) {
    text += "\n" + wrapped(paragraph, 0, 0);
  }
  text += "\nFlags:\n";
  std::size_t width = 0;
  const std::vector<Flag> flags = all_flags(command);
  for (const Flag& flag : flags) {
    width = std::max(width, std::min<std::size_t>(form_of(flag).size(), 32));
  }
  for (const Flag& flag : flags) {
    text += row_of(form_of(flag), flag.help, width);
  }
  if (!command.examples.empty()) {
    text += "\nExamples:\n";
  }
  for (const Example& example : command.examples) {
    text += "  # " + example.what + "\n  " + std::string(program) + " " + example.line + "\n";
  }
  if (!command.exits.empty()) {
    text += "\nExit status:\n";
  }
  for (const ExitStatus& exit : command.exits) {
    text += row_of(std::to_string(exit.code), exit.when, 1);
  }
  return text;
}

std::string manual_page(std::string_view version, std::span<const CommandSpec> commands) {
  std::string text = ".TH SCALEDCACHE 1 \"\" \"scaledcache " + std::string(version) +
                     "\" \"User Commands\"\n.SH NAME\nscaledcache \\- autoscaler for fleets of "
                     "caches on Kubernetes\n.SH SYNOPSIS\n.B scaledcache\n.I COMMAND\n"
                     "[\\fIflags\\fR]\n.br\n.B kubectl scaledcache\n.I COMMAND\n[\\fIflags\\fR]\n"
                     ".SH DESCRIPTION\n";
  text += roff(
      "One program is the operator that runs in the cluster and the tool that its users have at "
      "hand. Installed as kubectl-scaledcache in the PATH, it is a plugin of kubectl.");
  text += "\n.SH COMMANDS\n";
  for (const CommandSpec& command : commands) {
    text += manual_of(command);
  }
  text +=
      ".SH ENVIRONMENT\n.TP\n.B KUBECONFIG\nfiles that tell how to reach the cluster\n.TP\n"
      ".B NO_COLOR\nwhen set and not empty, nothing is coloured\n.TP\n.B SCALEDCACHE_*\n";
  return text +
         roff("each flag of the command controller: SCALEDCACHE_BACKEND_URL is --backend-url") +
         "\n";
}

}  // namespace scaledcache::controller
