#include "controller/restorer.h"

#include <functional>

#include <doctest/doctest.h>

#include "controller/hand_made_cluster.h"
#include "k8s/credentials.h"
#include "support/fake_clock.h"

namespace scaledcache::controller {
namespace {

using namespace std::chrono_literals;

k8s::ClusterConfig cluster_config() {
  k8s::ClusterConfig config;
  config.origin = "http://api";
  return config;
}

// A ScaledCache on Deployment varnish, as an API server keeps it.
class World final : public http::HttpTransport {
 public:
  explicit World(const char* spec) : cache(cache_of("blog", "2026-01-01T00:00:00Z", spec)) {
    cache.status.original_replicas = 3;
    object_["metadata"]["uid"] = cache.meta.uid;
    k8s::Workload deployment;
    deployment.meta.name = "varnish";
    deployment.meta.name_space = "blog";
    deployment.meta.uid = "d-1";
    deployment.kind = "Deployment";
    deployment.replicas = 8;
    NamespaceView& view = *cluster.namespace_view;
    (void)view.deployments.replace({entry_of("varnish", "d-1", deployment)});
    (void)view.stateful_sets.replace({});
    (void)view.replica_sets.replace({});
    (void)view.pods.replace({});
    (void)view.autoscalers.replace({});
  }

  Result<http::Response> send(const http::Request& request, std::stop_token) override {
    const bool is_scale = request.url.find("/scale?") != std::string::npos;
    requests.push_back(std::string(http::name_of(request.method)) + (is_scale ? " scale" : ""));
    if (refused != 0 && request.method == http::Method::Patch && is_scale == refuse_scale) {
      return answer(refused, {{"kind", "Status"}, {"code", refused}, {"message", "no"}});
    }
    if (is_scale) {
      scaled_to = Json::parse(request.body).back()["value"].get<int>();
      return answer(200, {{"metadata", {{"name", "varnish"}, {"uid", "d-1"}}}, {"spec", {}}});
    }
    if (request.method == http::Method::Patch) {
      object_.merge_patch(Json::parse(request.body));
    }
    return answer(200, object_);
  }

  [[nodiscard]] Json finalizers() const {
    return object_["metadata"].value("finalizers", Json::array());
  }

  void set_finalizers(const Json& finalizers) { object_["metadata"]["finalizers"] = finalizers; }

  k8s::ScaledCache cache;
  std::vector<std::string> requests;
  std::optional<int> scaled_to;
  int refused = 0;            // the status that PATCHes get
  bool refuse_scale = false;  // those of the scale, else those of the resource
  support::FakeClock clock;
  FilledCluster cluster;
  k8s::Credentials credentials{cluster_config(), clock};
  k8s::ApiServer server{"http://api", credentials, "test"};
  k8s::KubeClient client{*this, server, clock, {}};
  k8s::Discovery discovery{client, clock};
  TargetFinder targets{client, discovery};
  Restorer restorer{{cluster, targets, client, clock}};

 private:
  static http::Response answer(int status, const Json& body) {
    return {status, {{"Content-Type", "application/json"}}, body.dump()};
  }

  Json object_ = {
      {"metadata", {{"name", "blog"}, {"namespace", "blog"}, {"resourceVersion", "60"}}}};
};

constexpr const char* kRestores = R"({"restoreReplicasOnDelete": true})";

TEST_CASE("a resource that wants its count back gets a finalizer, once") {
  World world(kRestores);
  world.set_finalizers({"other/one"});
  CHECK(world.restorer.hold(world.cache, {}));
  CHECK(world.finalizers() == Json{"other/one", kRestoreFinalizer});
  const std::size_t asked = world.requests.size();
  CHECK(world.restorer.hold(world.cache, {}));
  CHECK(world.requests.size() == asked);
}

TEST_CASE("a resource that does not want it costs no request and gets no finalizer") {
  World world("{}");
  CHECK(world.restorer.hold(world.cache, {}));
  CHECK(world.requests.empty());
}

TEST_CASE("a wish that is taken back takes the finalizer away") {
  World world(kRestores);
  CHECK(world.restorer.hold(world.cache, {}));
  world.cache.spec.restore_replicas_on_delete = false;
  CHECK(world.restorer.hold(world.cache, {}));
  CHECK(world.finalizers().empty());
}

TEST_CASE("a finalizer that may not be set is tried again a minute later") {
  World world(kRestores);
  world.refused = 403;
  CHECK_FALSE(world.restorer.hold(world.cache, {}));
  const std::size_t asked = world.requests.size();
  CHECK(world.restorer.hold(world.cache, {}));
  CHECK(world.requests.size() == asked);
  world.refused = 0;
  world.clock.advance(60s);
  CHECK(world.restorer.hold(world.cache, {}));
  CHECK(world.finalizers() == Json{kRestoreFinalizer});
}

TEST_CASE("a deleted resource gives the count back, then lets go") {
  World world(kRestores);
  world.set_finalizers({kRestoreFinalizer, "other/one"});
  CHECK(world.restorer.release(world.cache, {}));
  CHECK(world.scaled_to == 3);
  CHECK(world.finalizers() == Json{"other/one"});
}

TEST_CASE("a deleted resource without our finalizer is left alone") {
  World world(kRestores);
  CHECK(world.restorer.release(world.cache, {}));
  CHECK_FALSE(world.scaled_to);
  CHECK(world.requests == std::vector<std::string>{"GET"});
}

TEST_CASE("what was only tried out is not put back") {
  World world(R"({"restoreReplicasOnDelete": true, "dryRun": true})");
  world.set_finalizers({kRestoreFinalizer});
  CHECK(world.restorer.release(world.cache, {}));
  CHECK_FALSE(world.scaled_to);
  CHECK(world.finalizers().empty());
}

TEST_CASE("a count that moved meanwhile is tried again, and the finalizer stays") {
  World world(kRestores);
  world.set_finalizers({kRestoreFinalizer});
  world.refused = 422;
  world.refuse_scale = true;
  const auto released = world.restorer.release(world.cache, {});
  REQUIRE_FALSE(released);
  CHECK(released.error().code == ErrorCode::Conflict);
  CHECK(world.finalizers() == Json{kRestoreFinalizer});
}

TEST_CASE("a target that is gone, or not ours to write, does not hold the resource") {
  World world(kRestores);
  world.set_finalizers({kRestoreFinalizer});
  SUBCASE("gone") {
    (void)world.cluster.namespace_view->deployments.replace({});
    CHECK(world.restorer.release(world.cache, {}));
  }
  SUBCASE("forbidden") {
    world.refused = 403;
    world.refuse_scale = true;
    CHECK(world.restorer.release(world.cache, {}));
  }
  CHECK_FALSE(world.scaled_to);
  CHECK(world.finalizers().empty());
}

}  // namespace
}  // namespace scaledcache::controller
