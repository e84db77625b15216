// Starts a subcommand; everything else is theirs.
#include <string>
#include <vector>

#include "controller/commands/commands.h"

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  const std::string program = words.empty() ? "scaledcache" : words.front();
  const std::span<const std::string> all(words);
  return scaledcache::controller::run_command(program, all.subspan(words.empty() ? 0 : 1));
}
