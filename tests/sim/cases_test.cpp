// Every scenario under tests/cases, through the command that users have.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "controller/commands/simulate.h"

namespace scaledcache::sim::test {
namespace {

std::vector<std::string> case_files() {
  std::vector<std::string> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(SCALEDCACHE_SOURCE_DIR) + "/tests/cases")) {
    if (entry.path().extension() == ".yaml") {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Recorded series are not part of the tree: the scenarios that replay them are left out, by name,
// where SCALEDCACHE_TRACES (default: shared/traces beside the tree) does not hold them.
std::string traces() {
  const char* given = std::getenv("SCALEDCACHE_TRACES");  // NOLINT(concurrency-mt-unsafe)
  return given != nullptr ? given : std::string(SCALEDCACHE_SOURCE_DIR) + "/../shared/traces";
}

TEST_CASE("scenarios") {
  const std::vector<std::string> files = case_files();
  REQUIRE(files.size() >= 9);
  for (const std::string& file : files) {
    const std::string name = std::filesystem::path(file).filename().string();
    SUBCASE(name.c_str()) {
      std::istringstream in;
      std::ostringstream out;
      std::ostringstream err;
      const std::vector<std::string> args{"--skip-missing", "--traces", traces(), file};
      const int status = controller::simulate(args, {.in = in, .out = out, .err = err});
      INFO(out.str());
      INFO(err.str());
      CHECK(status == 0);
      std::istringstream lines(out.str());
      for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("skip ")) {
          MESSAGE(line);
        }
      }
    }
  }
}

}  // namespace
}  // namespace scaledcache::sim::test
