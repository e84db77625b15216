// A command line read by the table of its command.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "controller/commands/command.h"

namespace scaledcache::controller {

class Arguments {
 public:
  // Whether a flag was given.
  [[nodiscard]] bool has(std::string_view flag) const;

  // The flag's value, the last one where it was given twice; `absent` where it was not given.
  [[nodiscard]] std::string value(std::string_view flag, std::string_view absent = {}) const;

  // All values of a flag that may be repeated.
  [[nodiscard]] std::vector<std::string> values(std::string_view flag) const;

  // What is no flag; "-" is a word, and so is everything behind "--".
  [[nodiscard]] const std::vector<std::string>& words() const { return words_; }

 private:
  friend Result<Arguments> parse_arguments(const CommandSpec& command,
                                           std::span<const std::string> arguments);

  std::map<std::string, std::vector<std::string>, std::less<>> flags_;
  std::vector<std::string> words_;
};

// `arguments` are those behind the command's name. Takes `--flag value`, `--flag=value`, `-f value`
// and `-f=value`. Invalid with one sentence, which names the nearest flag or choice there is.
[[nodiscard]] Result<Arguments> parse_arguments(const CommandSpec& command,
                                                std::span<const std::string> arguments);

}  // namespace scaledcache::controller
