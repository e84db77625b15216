// What a ScaledCache may refer to besides a Deployment: a target of a kind that is not watched, and
// a list of paths in a ConfigMap.
#include <doctest/doctest.h>

#include "loopback/world.h"

namespace scaledcache::loopback {

TEST_CASE("a target of a kind that is not watched is known by its scale alone") {
  World world;
  world.api.apply("replicasets", workload_manifest(kNamespace, "web", 1));
  world.create_cache("web",
                     {{"scaleTargetRef", {{"apiVersion", "apps/v1"}, {"kind", "ReplicaSet"}}}});
  world.start();
  world.eventually("it has the minimum", [&] {
    const auto object = world.api.objects().find("replicasets", key("web"));
    return object && (*object)["spec"]["replicas"] == 2;
  });
  CHECK(world.api.count("GET", "/replicasets/web/scale") > 0);
}

TEST_CASE("paths to warm up with are read from a ConfigMap") {
  World world;
  world.api.apply("configmaps", {{"metadata", {{"namespace", kNamespace}, {"name", "paths"}}},
                                 {"data", {{"list", "/from-the-list\n"}}}});
  world.deploy_gated("web", 2, 300);
  world.create_cache("web", world.warmup({{"pathsFrom", {{"name", "paths"}, {"key", "list"}}}}));
  world.start();
  world.wait_until_ready("web");
  world.api.scale_by_hand("deployments", key("web"), 3);
  world.eventually("the ConfigMap is read",
                   [&] { return world.api.count("GET", "/configmaps/paths") > 0; });
}

}  // namespace scaledcache::loopback
