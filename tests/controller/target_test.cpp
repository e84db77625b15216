#include "controller/target.h"

#include <doctest/doctest.h>

#include "controller/hand_made_cluster.h"
#include "k8s/credentials.h"
#include "support/fake_clock.h"

namespace scaledcache::controller {
namespace {

using namespace std::chrono_literals;

// An API server with one object of a kind that is not watched.
class CloneSets final : public http::HttpTransport {
 public:
  std::string uid = "s-1";
  int reads = 0;  // of its scale

  Result<http::Response> send(const http::Request& request, std::stop_token) override {
    const bool is_scale = request.url.ends_with("/scale");
    reads += is_scale ? 1 : 0;
    const Json body =
        is_scale ? Json{{"metadata", {{"name", "web"}, {"namespace", "blog"}, {"uid", uid}}},
                        {"spec", {{"replicas", 3}}}}
                 : Json::parse(R"({"resources": [
                {"name": "clonesets", "namespaced": true, "kind": "CloneSet"},
                {"name": "clonesets/scale", "namespaced": true, "kind": "Scale"}]})");
    return http::Response{200, {{"Content-Type", "application/json"}}, body.dump(), 0};
  }
};

struct Case {
  Case() {
    (void)view.deployments.replace({});
    (void)view.stateful_sets.replace({});
    (void)view.replica_sets.replace({});
    (void)view.pods.replace({});
    (void)view.autoscalers.replace({});
  }

  static k8s::ClusterConfig config() {
    k8s::ClusterConfig config;
    config.origin = "http://api";
    return config;
  }

  std::string uid_lately() {
    const auto target = finder.find_lately(cache, view, clock.steady(), {});
    return target ? target->reference.uid : target.error().message;
  }

  support::FakeClock clock;
  CloneSets api;
  k8s::Credentials credentials{config(), clock};
  k8s::ApiServer server{"http://api", credentials, "test"};
  k8s::KubeClient client{api, server, clock, {}};
  k8s::Discovery discovery{client, clock};
  NamespaceView view;
  TargetFinder finder{client, discovery};
  k8s::ScaledCache cache =
      cache_of("blog",
               "2026-01-01T00:00:00Z",
               R"({"scaleTargetRef": {"apiVersion": "apps.kruise.io/v1", "kind": "CloneSet",
                                      "name": "web"}})");
};

TEST_CASE("looks at many pods read the scale of their target once") {
  Case world;
  REQUIRE(world.cache.valid());
  for (int pod = 0; pod < 100; ++pod) {
    CHECK(world.uid_lately() == "s-1");
  }
  CHECK(world.api.reads == 1);
  world.clock.advance(kScaleLife);
  world.api.uid = "s-2";
  CHECK(world.uid_lately() == "s-2");
  CHECK(world.api.reads == 2);
}

TEST_CASE("a decision reads the scale anew each time") {
  Case world;
  CHECK(world.uid_lately() == "s-1");
  world.api.uid = "s-2";
  const auto target = world.finder.find(world.cache, world.view, {});
  REQUIRE(target);
  CHECK(target->reference.uid == "s-2");
  CHECK(target->replicas == 3);
}

}  // namespace
}  // namespace scaledcache::controller
