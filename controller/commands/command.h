// What a subcommand is called and which words it takes, as data: parsing, `--help`, shell
// completion and the manual page are all made from it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scaledcache::controller {

// What a value or a word stands for; completion asks.
enum class Word { None, Text, File, Folder, Choice };

struct Flag {
  std::string name;   // without dashes: "output"
  std::string value;  // what stands for its value, "FILE"; empty: a switch
  std::string help;   // one sentence without a full stop
  char letter = 0;    // the short form; 0: none
  Word kind = Word::Text;
  std::vector<std::string> choices{};  // with Word::Choice
  bool repeats = false;
};

struct Example {
  std::string line;  // without the program's name
  std::string what;
};

struct ExitStatus {
  int code = 0;
  std::string when;
};

struct CommandSpec {
  std::string name;
  std::string summary;                     // one line for the list of commands
  std::vector<std::string> synopses;       // without the program's name: "validate [flags] FILE..."
  std::vector<std::string> description{};  // paragraphs
  std::vector<Flag> flags{};
  std::vector<Example> examples{};
  std::vector<ExitStatus> exits{};
  Word words = Word::None;  // what its words are
  std::vector<std::string> word_choices{};
};

// The flag of that name, or nullptr.
[[nodiscard]] const Flag* find_flag(const CommandSpec& command, std::string_view name);
[[nodiscard]] const Flag* find_letter(const CommandSpec& command, char letter);

// The flag that every command has.
[[nodiscard]] const Flag& help_flag();

// Which cluster: those of every command that speaks to one.
[[nodiscard]] Flag kubeconfig_flag();
[[nodiscard]] Flag context_flag();

// --output with what it may be; the first choice is the default.
[[nodiscard]] Flag output_flag(std::vector<std::string> choices);

}  // namespace scaledcache::controller
