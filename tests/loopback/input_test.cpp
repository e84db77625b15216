// Bad input: on the command line one sentence and exit code 2; in a resource a condition, and an
// untouched target. Faults G.
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "loopback/world.h"

namespace scaledcache::loopback {
namespace {

// Exit code and standard error of a run that ends by itself.
struct Ended {
  int code = -1;
  std::string errors;
};

Ended run_to_end(Pulse& pulse,
                 const std::vector<std::string>& arguments,
                 const OperatorProcess::Environment& environment = {}) {
  OperatorProcess process(pulse, arguments, environment);
  if (!pulse.wait([&] { return !process.alive(); })) {
    return {-1, "it did not end by itself:\n" + process.tail()};
  }
  return {*process.exit_code(), process.errors()};
}

std::string kubeconfig_with(const std::string& server, const std::string& rest = "") {
  return "{clusters: [{name: c, cluster: {server: \"" + server +
         "\"}}], users: [{name: u, user: {" + rest +
         "}}], contexts: [{name: x, context: {cluster: c, user: u}}], current-context: x}";
}

}  // namespace

TEST_CASE("a bad command line is told in one sentence, with exit code 2") {
  struct Row {
    std::string name;
    std::vector<std::string> arguments;
    std::vector<const char*> named;  // what the sentence must name
  };

  const Row rows[] = {
      {"no command", {}, {"Usage"}},
      {"unknown command", {"contoller"}, {"contoller"}},
      {"unknown flag", {"controller", "--bakend-url=http://x"}, {"--bakend-url"}},
      {"flag without a value", {"controller", "--workers"}, {"--workers"}},
      {"no number", {"controller", "--workers=many"}, {"--workers", "many"}},
      {"number too small", {"controller", "--workers=0"}, {"--workers", "0"}},
      {"negative limit", {"controller", "--max-replicas-limit=-1"}, {"--max-replicas-limit", "-1"}},
      {"log format", {"controller", "--log-format=xml"}, {"--log-format", "xml", "json", "text"}},
      {"log level", {"controller", "--log-level=loud"}, {"--log-level", "loud", "debug"}},
      {"backend scheme", {"controller", "--backend-url=ftp://metrics"}, {"--backend-url"}},
      {"backend nonsense", {"controller", "--backend-url=metrics:9090"}, {"--backend-url"}},
      {"backend matchers",
       {"controller", "--backend-matchers=cluster=prod"},
       {"--backend-matchers"}},
      {"namespace", {"controller", "--namespace=Shop!"}, {"--namespace", "Shop!"}},
      {"listen address", {"controller", "--listen-address=8080"}, {"--listen-address", "8080"}},
      {"port", {"controller", "--listen-address=0.0.0.0:99999"}, {"--listen-address", "99999"}},
      {"stray word", {"controller", "start"}, {"start"}},
      {"missing kubeconfig",
       {"controller", "--kubeconfig=/nonexistent/config"},
       {"--kubeconfig", "/nonexistent/config"}},
      {"kubeconfig is a folder", {"controller", "--kubeconfig=/"}, {"--kubeconfig"}},
      {"no cluster at all", {"controller"}, {"--kubeconfig"}},
  };
  Pulse pulse;
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const Ended ended = run_to_end(pulse, row.arguments);
    CAPTURE(ended.errors);
    CHECK(ended.code == 2);
    for (const char* named : row.named) {
      CHECK_MESSAGE(ended.errors.find(named) != std::string::npos, named);
    }
    CHECK(ended.errors.find("terminate called") == std::string::npos);
  }
}

TEST_CASE("a bad password in a flag is not repeated") {
  Pulse pulse;
  const Ended ended =
      run_to_end(pulse, {"controller", "--backend-url=http://user:hunter2@metrics:9090"});
  CHECK(ended.code == 2);
  CHECK(ended.errors.find("--backend-url") != std::string::npos);
  CHECK(ended.errors.find("hunter2") == std::string::npos);
}

TEST_CASE("a bad environment is told as the flag would be") {
  Pulse pulse;
  const Ended ended = run_to_end(pulse, {"controller"}, {{"SCALEDCACHE_WORKERS", "many"}});
  CHECK(ended.code == 2);
  CHECK(ended.errors.find("many") != std::string::npos);
}

TEST_CASE("a bad kubeconfig is told in one sentence that names file and field") {
  struct Row {
    std::string name;
    std::string text;
    const char* named;
  };

  const Row rows[] = {
      {"empty", "", "current-context"},
      {"no YAML", "{{{", "YAML"},
      {"a list", "[1, 2]", "map"},
      {"bytes", std::string("\x00\x01\xff", 3), "kubeconfig"},
      {"no server", kubeconfig_with(""), "server"},
      {"server without scheme", kubeconfig_with("10.0.0.1:6443"), "server"},
      {"no CA", kubeconfig_with("https://10.0.0.1:6443"), "certificate-authority"},
      {"token over plain http", kubeconfig_with("http://10.0.0.1:6443", "token: abc"), "server"},
      {"exec", kubeconfig_with("http://127.0.0.1:1", "exec: {command: aws}"), "exec"},
      {"missing token file", kubeconfig_with("http://127.0.0.1:1", "tokenFile: gone"), "tokenFile"},
      {"certificate without key",
       kubeconfig_with("http://127.0.0.1:1", "client-certificate: gone.crt"), "client-certificate"},
      {"unknown context", "{current-context: y, contexts: []}", "current-context"},
  };
  Pulse pulse;
  const ScratchFolder folder;
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const std::string path = folder.write("config", row.text);
    const Ended ended = run_to_end(pulse, {"controller", "--kubeconfig=" + path});
    CAPTURE(ended.errors);
    CHECK(ended.code == 2);
    CHECK(ended.errors.find(row.named) != std::string::npos);
    CHECK(std::count(ended.errors.begin(), ended.errors.end(), '\n') == 1);
  }
}

TEST_CASE("an address that is taken is told, with exit code 2") {
  World world;
  const std::string taken =
      "127.0.0.1:" + world.backend.url().substr(world.backend.url().rfind(':') + 1);
  const Ended ended = run_to_end(
      world.pulse,
      {"controller", "--kubeconfig=" + world.write_kubeconfig(), "--listen-address=" + taken});
  CHECK(ended.code == 2);
  CHECK(ended.errors.find("--listen-address") != std::string::npos);
}

TEST_CASE("help and version are answers, not errors") {
  Pulse pulse;
  CHECK(run_to_end(pulse, {"--help"}).code == 0);
  CHECK(run_to_end(pulse, {"controller", "--help"}).code == 0);
  CHECK(run_to_end(pulse, {"version"}).code == 0);
}

TEST_CASE("G1: a spec that got past the schema gives InvalidSpec, and its target is left alone") {
  struct Row {
    std::string name;
    Json changes;
    const char* named;
  };

  const Row rows[] = {
      {"min-above-max", {{"minReplicas", 12}}, "spec.minReplicas"},
      {"no-signals", {{"signals", Json::array()}}, "spec.signals"},
      {"no-max", {{"maxReplicas", nullptr}}, "spec.maxReplicas"},
      {"max-as-text", {{"maxReplicas", "ten"}}, "spec.maxReplicas"},
      {"zero-threshold",
       {{"signals", Json::array({{{"preset", "Varnish"}, {"requestsPerReplica", 0}}})}},
       "spec.signals[0].requestsPerReplica"},
      {"windows", {{"shortWindow", "10m"}}, "spec.shortWindow"},
      {"duration", {{"pollInterval", "5 days please"}}, "spec.pollInterval"},
      {"address", {{"backend", {{"address", "ftp://metrics"}}}}, "spec.backend.address"},
      {"unknown-field", {{"minReplica", 3}}, "spec.minReplica"},
      {"zero-with-counter", {{"minReplicas", 0}}, "spec.signals[0]"},
  };
  World world;
  for (const Row& row : rows) {
    world.deploy(row.name, 2, 2300);
    world.create_cache(row.name, row.changes);
  }
  world.deploy("good", 2, 900);
  world.create_cache("good");
  world.start();
  world.wait_for_replicas("good", 5);
  for (const Row& row : rows) {
    CAPTURE(row.name);
    world.eventually("InvalidSpec",
                     [&] { return world.condition(row.name, "Ready") == "False InvalidSpec"; });
    CHECK_MESSAGE(world.message(row.name, "Ready").find(row.named) != std::string::npos,
                  world.message(row.name, "Ready"));
    CHECK(world.replicas(row.name) == 2);
    CHECK(world.scale_writes(row.name).empty());
  }
  world.create_cache("min-above-max");
  world.wait_for_replicas("min-above-max", 10);
}

TEST_CASE("G2: min = max, and a maximum lowered below the count") {
  World world;
  world.run("web", 5, 900, {{"cooldown", "1h"}});
  world.create_cache("web", {{"minReplicas", 3}, {"maxReplicas", 3}, {"cooldown", "1h"}});
  world.wait_for_replicas("web", 3);
  world.create_cache("web", {{"minReplicas", 4}, {"maxReplicas", 4}, {"cooldown", "1h"}});
  world.wait_for_replicas("web", 4);
  CHECK(world.scale_steps("web") == "5>3, 3>4");
}

TEST_CASE("G5: a target that is missing is named, and scaled once it exists") {
  World world;
  world.create_cache("web");
  world.start();
  world.eventually("it is named",
                   [&] { return world.condition("web", "Ready") == "False TargetNotFound"; });
  CHECK(world.message("web", "Ready").find("web") != std::string::npos);
  world.deploy("web", 2, 900);
  world.wait_for_replicas("web", 5);
  world.wait_until_ready("web");
  world.api.objects().remove("deployments", key("web"));
  world.eventually("and named again when it is gone",
                   [&] { return world.condition("web", "Ready") == "False TargetNotFound"; });
}

TEST_CASE("G5: a target without a scale, and a kind that is not served") {
  World world;
  world.create_cache("daemons", {{"scaleTargetRef", {{"kind", "DaemonSet"}}}});
  world.create_cache("nothing", {{"scaleTargetRef", {{"kind", "Rollout"}}}});
  world.start();
  world.eventually("the first is named", [&] {
    return world.condition("daemons", "Ready") == "False TargetNotScalable";
  });
  CHECK(world.message("daemons", "Ready").find("StatefulSet") != std::string::npos);
  world.eventually("the second is named",
                   [&] { return world.condition("nothing", "Ready").starts_with("False"); });
}

TEST_CASE("G5: of two ScaledCaches on one target the older one owns it") {
  World world;
  world.deploy("web", 2, 300);
  world.create_cache("web");
  world.create_cache("young", {{"scaleTargetRef", {{"name", "web"}}}, {"minReplicas", 7}});
  world.start();
  world.eventually("the younger one is told",
                   [&] { return world.condition("young", "Contested") == "True ScaledCache"; });
  world.wait_until_ready("web");
  world.wait_for_looks(4);
  CHECK(world.scale_steps("web") == "");
  world.api.objects().remove("scaledcaches", key("web"));
  world.wait_for_replicas("web", 7);
}

}  // namespace scaledcache::loopback
