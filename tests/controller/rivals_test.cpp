#include "controller/rivals.h"

#include <doctest/doctest.h>

#include "controller/hand_made_cluster.h"

namespace scaledcache::controller {
namespace {

constexpr const char* kEarly = "2026-01-01T00:00:00Z";
constexpr const char* kLate = "2026-01-02T00:00:00Z";

k8s::Hpa autoscaler_of(const std::string& kind, const std::string& name) {
  return {"web", "h-1", "1", {"apps/v1beta2", kind, "blog", name, ""}};
}

TEST_CASE("a HorizontalPodAutoscaler on the target is a rival, by its name") {
  FilledCluster cluster;
  const k8s::ScaledCache cache = cache_of("blog", kEarly);
  const auto rival_with = [&](const k8s::Hpa& autoscaler) {
    (void)cluster.namespace_view->autoscalers.replace({entry_of("web", "h-1", autoscaler)});
    return find_rival(cache, cluster, *cluster.namespace_view);
  };
  CHECK(rival_with(autoscaler_of("Deployment", "varnish")) ==
        Rival{core::Contender::HorizontalPodAutoscaler, "HorizontalPodAutoscaler web"});
  CHECK(rival_with(autoscaler_of("Deployment", "other")) == Rival{});
  CHECK(rival_with(autoscaler_of("StatefulSet", "varnish")) == Rival{});
}

TEST_CASE("of two ScaledCaches on a target the older is the younger one's rival") {
  FilledCluster cluster;
  const k8s::ScaledCache older = cache_of("b-older", kEarly);
  const k8s::ScaledCache younger = cache_of("a-younger", kLate);
  for (const k8s::ScaledCache& cache : {older, younger}) {
    cluster.caches.push_back(std::make_shared<const k8s::ScaledCache>(cache));
  }
  CHECK(find_rival(younger, cluster, *cluster.namespace_view) ==
        Rival{core::Contender::ScaledCache, "ScaledCache b-older"});
  CHECK(find_rival(older, cluster, *cluster.namespace_view) == Rival{});
}

TEST_CASE("of two ScaledCaches of one age the smaller UID owns the target") {
  FilledCluster cluster;
  const k8s::ScaledCache a = cache_of("a", kEarly);
  const k8s::ScaledCache b = cache_of("b", kEarly);
  cluster.caches = {std::make_shared<const k8s::ScaledCache>(a),
                    std::make_shared<const k8s::ScaledCache>(b)};
  CHECK(find_rival(a, cluster, *cluster.namespace_view) == Rival{});
  CHECK(find_rival(b, cluster, *cluster.namespace_view).name == "ScaledCache a");
}

TEST_CASE("ScaledCaches on different targets are no rivals") {
  FilledCluster cluster;
  const k8s::ScaledCache other =
      cache_of("other", kEarly, R"({"scaleTargetRef": {"name": "other"}})");
  cluster.caches = {std::make_shared<const k8s::ScaledCache>(other)};
  CHECK(find_rival(cache_of("blog", kLate), cluster, *cluster.namespace_view) == Rival{});
}

TEST_CASE("autoscalers that we may not read are taken for none") {
  NamespaceView view;
  (void)view.deployments.replace({});
  (void)view.stateful_sets.replace({});
  (void)view.replica_sets.replace({});
  (void)view.pods.replace({});
  CHECK_FALSE(view.synced());
  view.autoscalers_hidden = true;
  CHECK(view.synced());
}

}  // namespace
}  // namespace scaledcache::controller
