#include "controller/commands/documents.h"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "sim/files.h"

#include "commands/run.h"

namespace scaledcache::controller::test {
namespace {

TEST_CASE("scalars mean what they mean to kubectl") {
  struct Row {
    const char* yaml;
    Json want;
  };

  for (const Row& row :
       {Row{"v: 200", 200}, Row{"v: '200'", "200"}, Row{"v: 1.5", 1.5}, Row{"v: 1.5k", "1.5k"},
        Row{"v: yes", true}, Row{"v: off", false}, Row{"v: \"yes\"", "yes"}, Row{"v: ~", nullptr},
        Row{"v:", nullptr}, Row{"v: 010", 8}, Row{"v: 0x1f", 31}, Row{"v: -3", -3},
        Row{"v: !!str 5", "5"}, Row{"v: 5m", "5m"}, Row{"v: 2026-01-01", "2026-01-01"},
        Row{"v: 1e3", 1000.0}, Row{"v: --1", "--1"}, Row{"v: .", "."}}) {
    CAPTURE(row.yaml);
    CHECK(documents(row.yaml).at(0).value.at("v") == row.want);
  }
}

TEST_CASE("every field knows its line, and one that is absent that of what is around it") {
  const auto read = documents(
      "kind: A\n---\nkind: B\nspec:\n  signals:\n    - name: x\n"
      "      query: up\n  backend:\n    headers:\n      X-A: b\n");
  REQUIRE(read.size() == 2);
  CHECK(read[1].line == 3);
  CHECK(read[1].line_of("spec.signals[0].query") == 7);
  CHECK(read[1].line_of("spec.signals[0].requestsPerReplica") == 6);
  CHECK(read[1].line_of("spec.backend.headers[\"X-A\"]") == 10);
  CHECK(read[1].line_of("spec.cooldown") == 4);
  CHECK(read[1].line_of("status") == 3);
}

TEST_CASE("the items of a list are objects of their own") {
  const auto read = documents(
      "apiVersion: v1\nkind: List\nitems:\n- kind: A\n- kind: B\n  metadata:\n"
      "    name: b\n");
  REQUIRE(read.size() == 2);
  CHECK(read[1].title() == "B b");
  CHECK(read[1].line_of("metadata.name") == 7);
}

TEST_CASE("a key that is given twice is told") {
  const auto read = documents("kind: A\nspec:\n  a: 1\n  a: 2\n");
  REQUIRE(read.at(0).repeated.size() == 1);
  CHECK(read[0].repeated[0].sentence() == "spec.a is given twice");
  CHECK(read[0].line_of("spec.a") == 4);
}

TEST_CASE("what is no YAML, or grows without end, is refused with its line") {
  std::istringstream broken("kind: A\nspec: {a: [1, 2}\n");
  const auto read = read_documents("x.yaml", broken);
  REQUIRE_FALSE(read);
  CHECK(read.error().message.starts_with("x.yaml:2: is no YAML"));

  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 9; ++k) {
      bomb += last + ", ";
    }
    bomb += last + "]\n";
  }
  std::istringstream grows(bomb);
  CHECK_FALSE(read_documents("x.yaml", grows));
}

TEST_CASE("a folder gives its manifests in order, a file itself") {
  const sim::test::Folder folder;
  std::filesystem::create_directory(folder.path("b"));
  for (const char* name : {"b/2.yml", "1.yaml", "3.json", "notes.txt"}) {
    std::ofstream(folder.path(name)) << "{}\n";
  }
  const auto files = files_of(folder.path(""));
  REQUIRE(files);
  CHECK(files->size() == 3);
  CHECK(files->front().ends_with("1.yaml"));
  CHECK(files_of("anything.txt").value().front() == "anything.txt");
  std::istringstream nothing;
  // It opens, and its first byte cannot be read.
  for (const std::string& file : {folder.path("none.yaml"), std::string("/proc/self/mem")}) {
    const auto read = open_documents(file, nothing);
    REQUIRE_FALSE(read);
    CHECK(read.error().message == file + ": cannot be read");
  }
}

}  // namespace
}  // namespace scaledcache::controller::test
