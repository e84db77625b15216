// An API server, or whatever stands in its place, that answers more than anybody can use: fault
// D16.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "loopback/world.h"

namespace scaledcache::loopback {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;
constexpr std::size_t kMostMemory = 256 * kMegabyte;  // a list may take 64 MiB on its way

std::string added(const std::string& object) {
  return R"({"type":"ADDED","object":)" + object + "}\n";
}

std::string nested(char bracket, std::size_t depth) {
  return std::string(depth, bracket);
}

// What was known stands, and what changes is seen.
void check_it_goes_on(World& world) {
  CHECK(world.process().alive());
  CHECK(world.process().status_of("/healthz") == 200);
  CHECK(world.process().resident_bytes() < kMostMemory);
  CHECK(world.replicas("web") == 2);
  world.fleet("web").set_load(900);
  world.wait_for_replicas("web", 5);
}

}  // namespace

TEST_CASE("D16: a frame that nobody could use ends its watch and nothing else") {
  struct Row {
    const char* name;
    std::string frame;
  };

  for (const Row& row : std::vector<Row>{
           {"garbage", std::string("\xff\xfe\0 garbage\n", 12)},
           {"20 MiB",
            added(R"({"metadata":{"name":")" + std::string(20 * kMegabyte, 'x') + "\"}}")},
           {"20 MiB without an end", std::string(20 * kMegabyte, ' ')},
           {"nested lists", nested('[', 100'000) + "\n"},
           {"nested in an object", added(nested('[', 100'000) + nested(']', 100'000))},
           {"wrong types", R"({"type":7,"object":[]})"
                           "\n"},
           {"an object that is none", added("[]")},
           {"an object without a name", added(R"({"metadata":{}})")},
           {"metadata of a wrong type", added(R"({"metadata":"web"})")},
       }) {
    SUBCASE(row.name) {
      World world;
      world.run("web", 2, 300);
      for (const char* kind : {"deployments", "pods", "scaledcaches"}) {
        world.api.objects().order(kind, {row.frame, StreamOrder::End::None});
      }
      world.wait_for_looks(2);
      check_it_goes_on(world);
    }
  }
}

TEST_CASE("D16: a list that nobody could use is asked for again, and what was known stands") {
  struct Row {
    const char* name;
    std::string body;
  };

  for (const Row& row : std::vector<Row>{
           {"70 MiB", R"({"kind":"DeploymentList","items":[")" + std::string(70 * kMegabyte, 'x')},
           {"nested", R"({"items":)" + nested('[', 100'000)},
           {"no items", R"({"kind":"DeploymentList","metadata":{"resourceVersion":"9"}})"},
           {"items of a wrong type", R"({"metadata":{"resourceVersion":"99999999"},"items":7})"},
       }) {
    SUBCASE(row.name) {
      World world;
      world.run("web", 2, 300);
      const std::size_t lists = world.api.lists("deployments");
      world.api.fail({.method = "GET",
                      .target_contains = "/deployments?",
                      .and_contains = "limit=",
                      .status = 200,
                      .body = row.body,
                      .times = 1});
      world.api.objects().order(
          "deployments", {dump_json({{"type", "ERROR"}, {"object", failure(410, "old")}}) + "\n",
                          StreamOrder::End::Clean});
      world.eventually("it asks again",
                       [&] { return world.api.lists("deployments") >= lists + 2; });
      check_it_goes_on(world);
    }
  }
}

}  // namespace scaledcache::loopback
