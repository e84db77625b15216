// What goes wrong between the API server and the operator's stores: faults C and D.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "loopback/world.h"

namespace scaledcache::loopback {
namespace {

std::string error_frame(const Json& object) {
  return dump_json({{"type", "ERROR"}, {"object", object}}) + "\n";
}

void check_growth_still_works(World& world) {
  world.fleet("web").set_load(900);
  world.wait_for_replicas("web", 5);
}

}  // namespace

TEST_CASE("C2: a deletion that no watch told of is found by the next list") {
  World world;
  world.run("web", 2, 300);
  world.api.objects().hide_events("scaledcaches", 1);
  world.api.objects().remove("scaledcaches", key("web"));
  world.api.objects().compact("scaledcaches");
  world.api.objects().order("scaledcaches", {"", StreamOrder::End::Cut});
  world.eventually("it is forgotten", [&] {
    const std::string metrics = world.process().get("/metrics");
    return !metrics.empty() && metrics.find("name=\"web\"") == std::string::npos;
  });
}

TEST_CASE("C3: of two edits in one moment the last one counts") {
  World world;
  world.run("web", 2, 300);
  world.api.objects().hide_events("scaledcaches", 1);
  world.create_cache("web", {{"minReplicas", 3}});
  world.create_cache("web", {{"minReplicas", 4}});
  world.wait_for_replicas("web", 4);
  world.eventually("its generation is observed",
                   [&] { return world.status("web")["observedGeneration"] == 3; });
  CHECK(world.scale_steps("web") == "2>4");
}

TEST_CASE("C1: a change of the target that no watch told of harms nothing and is found later") {
  World world;
  world.run("web", 2, 300, {{"cooldown", "1h"}});
  world.api.objects().hide_events("deployments", 2);  // the count, and the status that follows
  world.api.scale_by_hand("deployments", key("web"), 8);
  world.fleet("web").set_load(900);
  world.wait_for_looks(2);
  CHECK(world.replicas("web") == 8);
  world.api.objects().compact("deployments");
  world.api.objects().order("deployments", {"", StreamOrder::End::Cut});
  world.eventually("it is seen", [&] { return world.status("web").value("replicas", 0) == 8; });
  CHECK(world.replicas("web") == 8);
}

TEST_CASE("D1 D4 D6: an ERROR inside the stream leads to one list, and on") {
  World world;
  world.run("web", 2, 300);
  Json too_large = failure(504, "Too large resource version: 9999, current: 12");
  too_large["details"] = {{"causes", Json::array({{{"reason", "ResourceVersionTooLarge"}}})}};

  struct Row {
    std::string plural;
    Json error;
    std::size_t watches = 1;
  };

  // Pods are watched twice: those of the namespace, and those with our gate.
  const std::vector<Row> rows{{"deployments", failure(410, "too old resource version: 1 (2)")},
                              {"scaledcaches", too_large},
                              {"pods", failure(500, "etcdserver: leader changed"), 2},
                              {"replicasets", Json("nonsense")},
                              {"statefulsets", Json(nullptr)},
                              {"horizontalpodautoscalers", failure(410, "too old")}};
  for (const Row& row : rows) {
    CHECK(world.api.lists(row.plural) == row.watches);
    world.api.objects().order(row.plural, {error_frame(row.error), StreamOrder::End::Clean});
  }
  for (const Row& row : rows) {
    world.eventually("a list of " + row.plural,
                     [&] { return world.api.lists(row.plural) >= 2 * row.watches; });
  }
  world.wait_for_looks(3);
  for (const Row& row : rows) {
    CAPTURE(row.plural);
    CHECK(world.api.lists(row.plural) == 2 * row.watches);
  }
  check_growth_still_works(world);
}

TEST_CASE("D2: HTTP 410 where a watch begins, and on page 3 of a list") {
  World world;
  world.api.set_page_size(2);
  world.api.fail({.target_contains = "/pods?",
                  .and_contains = "continue=",
                  .status = 410,
                  .times = 1,
                  .after = 1});
  world.run("web", 6, 1150);
  CHECK(world.status("web")["readyReplicas"] == 6);

  world.api.fail(
      {.target_contains = "/deployments?", .and_contains = "watch=", .status = 410, .times = 1});
  const std::size_t lists = world.api.lists("deployments");
  world.api.objects().order("deployments", {"", StreamOrder::End::Clean});
  world.eventually("a list", [&] { return world.api.lists("deployments") == lists + 1; });
  world.fleet("web").set_load(1900);
  world.wait_for_replicas("web", 10);
}

TEST_CASE("D3: 410 on every watch: what was listed still serves, and the lists are few") {
  World world;
  world.run("web", 2, 300);
  world.api.set_habits({.always_gone = true});
  const std::size_t lists = world.api.lists("deployments");
  world.api.objects().order("deployments", {"", StreamOrder::End::Clean});
  constexpr std::size_t kLooks = 4;
  world.wait_for_looks(kLooks);
  CHECK(world.condition("web", "Ready") == "True AsExpected");
  CHECK(world.api.lists("deployments") <= lists + kLooks + 2);
  check_growth_still_works(world);
}

TEST_CASE("D13: where the network cuts a stream has no meaning") {
  for (const auto framing : {WatchHabits::Framing::ByteWise, WatchHabits::Framing::Crlf}) {
    World world;
    world.api.set_habits({.framing = framing});
    world.run("web", 2, 300);
    world.fleet("web").set_load(2300);
    world.wait_for_replicas("web", 10);
    CHECK(world.scale_steps("web") == "2>8, 8>10");
    CHECK(world.api.lists("deployments") == 1);
  }
}

TEST_CASE(
    "D15 D18: an object that cannot be read stands aside, and unknown fields are passed over") {
  World world;
  world.deploy("good", 2, 900);
  world.deploy("bad", 2, 900);
  world.deploy("strange", 2, 900);
  world.create_cache("good");
  Json broken = world.spec_of("bad");
  broken["signals"] = "many";
  world.api.apply("scaledcaches",
                  {{"metadata", {{"namespace", kNamespace}, {"name", "bad"}}}, {"spec", broken}});
  Json strange = world.create_cache("strange");
  strange["metadata"]["futureField"] = {{"deep", Json::array({1, 2, 3})}};
  strange["futureField"] = true;
  world.api.apply("scaledcaches", strange);
  world.start();
  world.wait_for_replicas("good", 5);
  world.wait_for_replicas("strange", 5);
  world.eventually("the broken one is told so",
                   [&] { return world.condition("bad", "Ready") == "False InvalidSpec"; });
  CHECK(world.message("bad", "Ready").find("spec.signals") != std::string::npos);
  CHECK(world.replicas("bad") == 2);
  world.wait_for_looks(4);
  CHECK(world.api.lists("scaledcaches") == 1);
  world.create_cache("bad");
  world.wait_for_replicas("bad", 5);
}

TEST_CASE("D17: without any bookmark the watch works too") {
  World world;
  world.api.set_habits({.bookmarks = false});
  world.run("web", 2, 300);
  check_growth_still_works(world);
}

TEST_CASE("D20: a watch that always closes at once is not tried in a hot loop") {
  World world;
  world.api.set_habits({.close_at_once = true});
  world.run("web", 2, 300);
  constexpr std::size_t kLooks = 4;
  const std::size_t before = world.api.watches("deployments");
  world.wait_for_looks(kLooks);
  CHECK(world.api.watches("deployments") - before <= kLooks + 2);
  check_growth_still_works(world);
}

TEST_CASE("D21: a captive portal's page changes nothing that is known") {
  World world;
  world.run("web", 2, 300);
  world.api.fail({.method = "GET",
                  .target_contains = "/deployments?",
                  .status = 200,
                  .body = "<html><body>Welcome to the hotel</body></html>",
                  .headers = {{"Content-Type", "text/html"}},
                  .times = 3});
  const std::size_t lists = world.api.lists("deployments");
  world.api.objects().order("deployments",
                            {error_frame(failure(410, "old")), StreamOrder::End::Clean});
  world.eventually("three pages came", [&] { return world.api.lists("deployments") >= lists + 3; });
  CHECK(world.condition("web", "Ready") == "True AsExpected");
  check_growth_still_works(world);
}

TEST_CASE("B2: a list older than what was seen is asked for again, and not believed at first") {
  World world;
  world.run("web", 2, 300, {{"cooldown", "1h"}});
  world.api.objects().freeze("deployments");
  world.api.scale_by_hand("deployments", key("web"), 4);
  world.api.objects().thaw("deployments");
  world.eventually("four are seen", [&] { return world.status("web").value("replicas", 0) == 4; });
  world.api.objects().rewind("deployments");
  const std::size_t lists = world.api.lists("deployments");
  world.api.objects().order("deployments",
                            {error_frame(failure(410, "old")), StreamOrder::End::Clean});
  world.eventually("it asks again", [&] { return world.api.lists("deployments") >= lists + 2; });
  CHECK(world.status("web")["replicas"] == 4);
  world.api.objects().thaw("deployments");
  world.fleet("web").set_load(900);
  world.wait_for_replicas("web", 5);
  CHECK(world.scale_steps("web") == "4>5");
}

}  // namespace scaledcache::loopback
