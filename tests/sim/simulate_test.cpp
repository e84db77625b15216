#include "controller/commands/simulate.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "sim/files.h"

namespace scaledcache::sim::test {
namespace {

const std::string kScenario =
    "name: a burst\n"
    "policy: {minReplicas: 2, maxReplicas: 10, signals: [{requestsPerReplica: 200}]}\n"
    "load: [{at: 0s, rate: 390}, {at: 5m, rate: 2300}]\n"
    "expect: [{at: 6m, replicas: 10}]\n";

struct Outcome {
  int status = 0;
  std::string out;
  std::string err;
};

Outcome simulate(const std::vector<std::string>& args) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  const int status = controller::simulate(args, {.in = in, .out = out, .err = err});
  return {status, out.str(), err.str()};
}

TEST_CASE("the exit status and the last line tell whether all holds") {
  const Folder folder;
  const std::string good = folder.write("good.yaml", kScenario);
  const std::string bad =
      folder.write("bad.yaml", kScenario + "---\n" + kScenario + "  # again\nend: 7m\n");
  CHECK(simulate({good}).status == 0);
  CHECK(simulate({good}).out == "ok   a burst\n1 passed, 0 failed\n");
  CHECK(simulate({bad, good}).out.ends_with("3 passed, 0 failed\n"));
  std::string wrong = kScenario;
  wrong.replace(wrong.find("replicas: 10"), 12, "replicas: 4 ");
  const Outcome broken = simulate({good, folder.write("wrong.yaml", wrong)});
  CHECK(broken.status == 1);
  CHECK(broken.out.find("FAIL a burst") != std::string::npos);
  CHECK(broken.out.find("wrong.yaml:4: expected {at: 6m, replicas: 4}, saw 10 replicas at 6m") !=
        std::string::npos);
  CHECK(broken.out.find("-> 10 ") != std::string::npos);
  CHECK(broken.out.ends_with("1 passed, 1 failed\n"));
}

TEST_CASE("a file that cannot be read is found before anything is played") {
  const Folder folder;
  const std::string good = folder.write("good.yaml", kScenario);
  const Outcome outcome = simulate({good, folder.path("none.yaml")});
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find("none.yaml: cannot be read") != std::string::npos);
}

TEST_CASE("wrong arguments are named, with what is allowed") {
  struct Row {
    std::vector<std::string> args;
    const char* want;
  };

  for (const Row& row :
       {Row{{}, "name at least one scenario file"},
        Row{{"--compare", "vpa", "a.yaml"}, "--compare: \"vpa\" is none of hpa, keda"},
        Row{{"--tabel", "a.yaml"}, "--tabel is no flag of simulate; did you mean --table?"},
        Row{{"a.yaml", "--csv"}, "--csv needs a value"},
        Row{{"--policy", "m.yaml"}, "--policy and --trace belong together"},
        Row{{"--step=soon", "a.yaml"}, "--step: \"soon\" is not a duration"},
        Row{{"--peak-replicas=-1", "a.yaml"}, "--peak-replicas: \"-1\" is not a number above 0"}}) {
    CAPTURE(row.want);
    const Outcome outcome = simulate(row.args);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find(row.want) != std::string::npos);
  }
}

TEST_CASE("a table, a series, a picture and a comparison on demand") {
  const Folder folder;
  const std::string good = folder.write("good.yaml", kScenario);
  const Outcome outcome =
      simulate({"--table", "--csv", folder.path("a.csv"), "--plot=" + folder.path("a.svg"),
                "--compare", "hpa,keda", good});
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("-> 10 ") != std::string::npos);
  CHECK(outcome.out.find("HPA at that cost") != std::string::npos);
  CHECK(outcome.out.find("KEDA") != std::string::npos);
  const std::string csv = folder.read("a.csv");
  CHECK(csv.starts_with("scenario,second,offered,"));
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 1 + 11 * 12 + 1);
  const std::string picture = folder.read("a.svg");
  CHECK(picture.starts_with("<svg"));
  CHECK(picture.ends_with("</svg>\n"));
  CHECK(picture.find("nan") == std::string::npos);
}

TEST_CASE("a manifest and a trace are enough") {
  const Folder folder;
  const std::string manifest = folder.write(
      "m.yaml",
      "kind: ScaledCache\nspec: {maxReplicas: 10, signals: [{requestsPerReplica: 200}]}\n");
  const std::string trace =
      folder.write("day.csv", "second,requests\n0,30000\n60,90000\n120,30000\n");
  const Outcome outcome = simulate({"--policy", manifest, "--trace", trace, "--table"});
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("1 passed, 0 failed") != std::string::npos);
  CHECK(outcome.out.find("Grow") != std::string::npos);
}

TEST_CASE("a scenario whose trace is not there fails, or is left out by name when asked") {
  const Folder folder;
  const std::string file =
      folder.write("s.yaml",
                   "name: a day\npolicy: {maxReplicas: 4, signals: [{requestsPerReplica: 1}]}\n"
                   "load: {trace: none.csv}\nend: 1m\n");
  CHECK(simulate({file}).status == 2);
  const Outcome outcome = simulate({"--skip-missing", file});
  CHECK(outcome.status == 0);
  CHECK(outcome.out.starts_with("skip a day"));
}

}  // namespace
}  // namespace scaledcache::sim::test
