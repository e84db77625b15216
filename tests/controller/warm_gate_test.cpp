// One look at a time: what is written into a pod's gate, with everything real but the network, the
// clock and the threads. No warm-up ever runs here: it waits for threads that are not started.
#include "controller/warm_gate.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <doctest/doctest.h>

#include "controller/hand_made_cluster.h"
#include "k8s/credentials.h"
#include "k8s/gate.h"
#include "support/fake_clock.h"

namespace scaledcache::controller {
namespace {

using namespace std::chrono_literals;

class NoPods final : public http::HttpTransport {
 public:
  Result<http::Response> send(const http::Request&, std::stop_token) override {
    return Error{ErrorCode::Unavailable, "nobody is asked here"};
  }
};

class PodShelf final : public GatedPods {
 public:
  std::map<std::string, k8s::Pod> pods;
  bool synced = true;

  [[nodiscard]] std::shared_ptr<const k8s::Pod> find_gated_pod(
      const std::string& key) const override {
    const auto found = pods.find(key);
    return found == pods.end() ? nullptr : std::make_shared<const k8s::Pod>(found->second);
  }

  [[nodiscard]] bool caches_synced(const std::string&) const override { return synced; }
};

// What everything but the operator's own memory is made of: it outlives an operator.
class World final : public http::HttpTransport {
 public:
  World() {
    NamespaceView& view = *cluster.namespace_view;
    k8s::Workload deployment;
    deployment.meta.uid = "d-1";
    deployment.kind = "Deployment";
    (void)view.deployments.replace({entry_of("varnish", "d-1", deployment)});
    (void)view.stateful_sets.replace({});
    (void)view.replica_sets.replace({});
    (void)view.autoscalers.replace({});
    set_cache(R"({"warmup": {"mode": "Gate", "port": 8080, "hostHeader": "a.example",
                             "paths": ["/"]}})");
    publish();
  }

  // What the API server answers to a write.
  std::function<int()> status = [] { return 200; };
  std::vector<std::string> writes;  // "a True CacheWarm"

  Result<http::Response> send(const http::Request& request, std::stop_token) override {
    const std::string path = request.url.substr(0, request.url.find('?'));
    const std::size_t end = path.rfind("/status");
    if (end == std::string::npos) {
      return http::Response{201, {{"Content-Type", "application/json"}}, "{}", 0};
    }
    const int code = status();
    const std::string name =
        path.substr(path.rfind('/', end - 1) + 1, end - 1 - path.rfind('/', end - 1));
    if (code == 200) {
      const Json condition = Json::parse(request.body)["status"]["conditions"][0];
      const bool open = condition["status"] == "True";
      writes.push_back(name + (open ? " True " : " False ") +
                       condition["reason"].get<std::string>());
      k8s::Pod& pod = shelf.pods.at("blog/" + name);
      pod.gate = k8s::GateState{open, condition["reason"].get<std::string>(),
                                condition["message"].get<std::string>(), clock.wall()};
      pod.ready = open && pod.containers_ready;
      publish();
    }
    const Json body = {{"metadata", {{"name", name}, {"uid", "uid-" + name}}}};
    return http::Response{code, {{"Content-Type", "application/json"}}, body.dump(), 0};
  }

  // A pod whose containers have been ready for `since`; its gate was never written.
  k8s::Pod& add(const std::string& name, Milliseconds since = 3s) {
    k8s::Pod pod;
    pod.name = name;
    pod.name_space = "blog";
    pod.uid = "uid-" + name;
    pod.owner = k8s::OwnerRef{"apps/v1", "Deployment", "varnish", "d-1"};
    pod.phase = k8s::PodPhase::Running;
    pod.pod_ip = "10.0.0." + std::to_string(shelf.pods.size() + 1);
    pod.containers = {{"varnish", "containerd://" + name, clock.wall() - since, {8080}}};
    pod.containers_ready = true;
    pod.containers_ready_since = clock.wall() - since;
    pod.has_gate = true;
    pod.gated_label = true;
    return shelf.pods["blog/" + name] = pod;
  }

  // One that was proven warm by an operator before.
  k8s::Pod& add_warm(const std::string& name) {
    k8s::Pod& pod = add(name, 1h);
    pod.ready = true;
    pod.gate = k8s::GateState{true, "CacheWarm",
                              k8s::with_identity("proven", k8s::cache_identity(pod, 8080)),
                              clock.wall() - 30min};
    return pod;
  }

  static void restart(k8s::Pod& pod) { pod.containers[0].id += "-again"; }

  void set_cache(const char* spec) {
    cluster.caches = {
        std::make_shared<const k8s::ScaledCache>(cache_of("blog", "2026-01-01T00:00:00Z", spec))};
    REQUIRE(cluster.caches[0]->valid());
  }

  // The watches show what the shelf holds.
  void publish() {
    std::vector<k8s::Entry<k8s::Pod>> entries;
    for (const auto& [key, pod] : shelf.pods) {
      entries.push_back(entry_of(pod.name, pod.uid, pod));
    }
    (void)cluster.namespace_view->pods.replace(std::move(entries));
  }

  support::FakeClock clock;
  FilledCluster cluster;
  PodShelf shelf;
};

k8s::ClusterConfig cluster_config() {
  k8s::ClusterConfig config;
  config.origin = "http://api";
  return config;
}

// One run of the operator: what it remembers ends with it.
struct Operator {
  explicit Operator(World& of) : world(of) {}

  std::optional<Milliseconds> look(const std::string& name) {
    world.publish();
    return gate.look("blog/" + name, {});
  }

  // Looks again and again for so long, once a second.
  void look_for(const std::string& name, std::chrono::seconds time) {
    for (std::chrono::seconds spent{0}; spent < time; ++spent) {
      (void)look(name);
      world.clock.advance(1s);
    }
    (void)look(name);
  }

  World& world;
  Log log{world.clock, LogFormat::Json, LogLevel::Error};
  Metrics metrics{"test"};
  k8s::Credentials credentials{cluster_config(), world.clock};
  k8s::ApiServer server{"http://api", credentials, "test"};
  k8s::KubeClient client{world, server, world.clock, {}};
  k8s::Discovery discovery{client, world.clock};
  TargetFinder targets{client, discovery};
  WorkQueue queue{world.clock};
  GateBook book{[this](const std::string& key) { queue.add(key); }};
  NoPods pods;
  WarmGate gate{
      {world.cluster, world.shelf, targets, queue, book, client, pods, world.clock, metrics, log},
      {}};
};

using Writes = std::vector<std::string>;

TEST_CASE("a pod waits for its warm-up, and no longer than its limit") {
  World world;
  world.add_warm("a");
  world.add("b", 0s);
  Operator now(world);
  now.look_for("b", 119s);
  CHECK(world.writes.empty());
  now.look_for("b", 1s);
  CHECK(world.writes == Writes{"b True WarmupTimeout"});
}

TEST_CASE("a wall clock that jumps changes no limit") {
  World world;
  world.add_warm("a");
  world.add("b", 0s);
  Operator now(world);
  now.look_for("b", 10s);
  SUBCASE("back") {
    world.clock.set_wall(world.clock.wall() - 24h);
  }
  SUBCASE("forth") {
    world.clock.set_wall(world.clock.wall() + 24h);
  }
  now.look_for("b", 109s);
  CHECK(world.writes.empty());
  now.look_for("b", 1s);
  CHECK(world.writes == Writes{"b True WarmupTimeout"});
}

TEST_CASE("a node's clock that is ahead, or tells nothing, prolongs no wait") {
  World world;
  world.add_warm("a");
  k8s::Pod& pod = world.add("b", 0s);
  SUBCASE("ahead") {
    pod.containers_ready_since = world.clock.wall() + 24h;
  }
  SUBCASE("nothing") {
    pod.containers_ready_since.reset();
  }
  Operator now(world);
  now.look_for("b", 120s);
  CHECK(world.writes == Writes{"b True WarmupTimeout"});
}

TEST_CASE("another leader in mid warm-up goes on with the time that is left") {
  World world;
  world.add_warm("a");
  world.add("b", 0s);
  Operator(world).look_for("b", 100s);
  CHECK(world.writes.empty());
  Operator next(world);
  next.look_for("b", 19s);
  CHECK(world.writes.empty());
  next.look_for("b", 1s);
  CHECK(world.writes == Writes{"b True WarmupTimeout"});
}

TEST_CASE("another leader takes what was proven for proven, and closes nothing") {
  World world;
  world.add_warm("a");
  world.add_warm("b");
  Operator next(world);
  (void)next.look("a");
  (void)next.look("b");
  CHECK(world.writes.empty());
}

TEST_CASE("of a fleet whose caches are all gone one goes on serving") {
  World world;
  for (const char* name : {"a", "b", "c"}) {
    World::restart(world.add_warm(name));
  }
  Operator now(world);
  for (const char* name : {"a", "b", "c"}) {
    (void)now.look(name);
  }
  CHECK(world.writes ==
        Writes{"a False ContainerRestarted", "b False ContainerRestarted", "c True LastReadyPod"});
}

TEST_CASE("a gate that could not be closed is no gate that is closed") {
  World world;
  World::restart(world.add_warm("a"));
  World::restart(world.add_warm("b"));
  Operator now(world);
  world.status = [] { return 403; };
  CHECK(now.look("a") == 1s);
  world.status = [] { return 200; };
  (void)now.look("b");  // "a" still serves
  (void)now.look("a");
  CHECK(world.writes == Writes{"b False ContainerRestarted", "a True LastReadyPod"});
}

TEST_CASE("an overloaded fleet lets in one cold pod at a time") {
  World world;
  world.add_warm("a");
  world.add("b");
  world.add("c");
  Operator now(world);
  for (const char* name : {"a", "b", "c"}) {
    (void)now.look(name);
  }
  CHECK(world.writes.empty());
  now.book.note_load("blog/blog", true);
  (void)now.look("c");
  (void)now.look("b");
  (void)now.look("c");
  CHECK(world.writes == Writes{"b True PanicOpen"});
  now.book.note_load("blog/blog", true);
  (void)now.look("c");
  CHECK(world.writes == Writes{"b True PanicOpen", "c True PanicOpen"});
}

TEST_CASE("the first pod of a fleet opens after a short try, and never before its containers") {
  World world;
  k8s::Pod& pod = world.add("a", 0s);
  pod.containers_ready = false;
  Operator now(world);
  now.look_for("a", 600s);
  CHECK(world.writes.empty());
  world.shelf.pods["blog/a"].containers_ready = true;
  world.shelf.pods["blog/a"].containers_ready_since = world.clock.wall();
  now.look_for("a", 4s);
  CHECK(world.writes.empty());
  now.look_for("a", 1s);
  CHECK(world.writes == Writes{"a True FirstPods"});
}

TEST_CASE("whoever no longer wants a gate gets it opened") {
  World world;
  world.add_warm("a");
  world.add("b");
  Operator now(world);
  (void)now.look("b");
  CHECK(world.writes.empty());
  std::string want;
  SUBCASE("paused") {
    auto cache = std::make_shared<k8s::ScaledCache>(*world.cluster.caches[0]);
    cache->pause.paused = true;
    world.cluster.caches = {cache};
    want = "b True Paused";
  }
  SUBCASE("deleted") {
    world.cluster.caches.clear();
    want = "b True NotManaged";
  }
  SUBCASE("on its way out, held by a finalizer") {
    auto cache = std::make_shared<k8s::ScaledCache>(*world.cluster.caches[0]);
    cache->meta.deleting = true;
    world.cluster.caches = {cache};
    want = "b True NotManaged";
  }
  SUBCASE("switched off") {
    world.set_cache(R"({"warmup": {"mode": "Off"}})");
    want = "b True GateOff";
  }
  (void)now.look("b");
  CHECK(world.writes == Writes{want});
}

TEST_CASE("a pod does not wait for ever for ScaledCaches that cannot be listed") {
  World world;
  world.add("a");
  world.shelf.synced = false;
  Operator now(world);
  now.look_for("a", 120s);
  CHECK(world.writes.empty());
  now.look_for("a", 1s);
  CHECK(world.writes == Writes{"a True NotManaged"});
}

TEST_CASE("an exporter that restarts beside the cache closes no gate") {
  World world;
  world.add_warm("a");
  k8s::Pod& pod = world.add("b", 1h);
  pod.containers.push_back({"exporter", "containerd://x", world.clock.wall() - 1h, {9131}});
  pod.ready = true;
  pod.gate = k8s::GateState{true, "CacheWarm",
                            k8s::with_identity("proven", k8s::cache_identity(pod, 8080)),
                            world.clock.wall() - 30min};
  Operator now(world);
  (void)now.look("b");
  pod.containers[1] = {"exporter", "containerd://y", world.clock.wall(), {9131}};
  (void)now.look("b");
  CHECK(world.writes.empty());
}

TEST_CASE("a ScaledCache that is made anew closes no gate that was opened in between") {
  World world;
  world.add_warm("a");
  k8s::Pod& pod = world.add("b");
  pod.containers.push_back({"exporter", "containerd://x", world.clock.wall() - 1h, {9131}});
  const auto caches = std::exchange(world.cluster.caches, {});
  Operator now(world);
  (void)now.look("b");
  CHECK(world.writes == Writes{"b True NotManaged"});
  world.cluster.caches = caches;
  (void)now.look("b");
  CHECK(world.writes.size() == 1);
}

}  // namespace
}  // namespace scaledcache::controller
