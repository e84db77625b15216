// Starts a subcommand; everything else is theirs.
#include <cstdio>
#include <string>
#include <vector>

#include "controller/commands/commands.h"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return scaledcache::controller::run_command(arguments);
}
