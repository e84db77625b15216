// Runs the operator with many ScaledCaches and its status page until standard input ends. Prints
// the port of the page.
#include <cstdio>
#include <string>

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "loopback/world.h"

namespace scaledcache::loopback {
namespace {

constexpr int kCaches = 500;

// Looks as often as by default; one look a second of so many would be a test of the fakes.
const Json kCalm{{"pollInterval", "5s"}};

std::string number_of(int i) {
  const std::string digits = std::to_string(i);
  return std::string(3 - digits.size(), '0') + digits;
}

void fill(World& world) {
  for (int i = 5; i < kCaches; ++i) {
    const std::string name = "varnish-" + number_of(i);
    world.deploy(name, 2 + i % 7, 200.0 * (2 + i % 7) - 60);
    world.create_cache(name, kCalm);
  }
  world.deploy_gated("gated", 3, 500);
  world.create_cache("gated", world.warmup());
  world.deploy("busy", 10, 4'000);
  world.create_cache("busy", kCalm);
  world.create_cache("lost", kCalm);  // has no target
  world.deploy("quiet", 2, 100);
  Json paused = {{"metadata",
                  {{"namespace", kNamespace},
                   {"name", "quiet"},
                   {"annotations", {{"scaledcache.io/paused", "true"}}}}},
                 {"spec", world.spec_of("quiet", kCalm)}};
  world.api.apply("scaledcaches", paused);
  world.deploy("spiky", 3, 550);
  world.create_cache("spiky");
}

int run(const std::vector<std::string>& flags) {
  World world;
  fill(world);
  world.start(flags);
  world.eventually("the page is served",
                   [&] { return !world.process().logged("the status page is served").empty(); });
  std::printf("%d\n",
              world.process().logged("the status page is served").front()["port"].get<int>());
  std::fflush(stdout);
  for (int word = 0; (word = std::getchar()) != EOF;) {
    if (word == 's') {  // a spike
      world.fleet("spiky").set_load(1'900);
    }
  }
  if (const auto code = world.process().exit_code()) {
    std::fprintf(stderr, "the operator ended with %d:\n%s\n", *code,
                 world.process().tail().c_str());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace scaledcache::loopback

int main(int count, char** words) {
  doctest::Context context;
  context.setAsDefaultForAssertsOutOfTestCases();
  std::vector<std::string> flags{"--page-address=127.0.0.1:0"};
  flags.insert(flags.end(), words + 1, words + count);
  return scaledcache::loopback::run(flags);
}
