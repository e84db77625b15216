#include "controller/gate_index.h"

#include <doctest/doctest.h>

namespace scaledcache::controller {
namespace {

using Caches = std::vector<std::shared_ptr<const k8s::ScaledCache>>;

std::shared_ptr<k8s::ScaledCache> gating(const std::string& target,
                                         const std::string& kind = "Deployment") {
  auto cache = std::make_shared<k8s::ScaledCache>();
  cache->meta.name = target;
  cache->meta.name_space = "shop";
  cache->spec.target = {"apps/v1", kind, target};
  cache->spec.warmup.mode = k8s::WarmupMode::Gate;
  return cache;
}

void put(k8s::Store<k8s::Workload>& store, const std::string& name, const std::string& selector) {
  k8s::Workload workload;
  workload.selector = selector;
  k8s::Entry<k8s::Workload> entry;
  entry.envelope.name_space = "shop";
  entry.envelope.name = name;
  entry.envelope.uid = "uid-" + name;
  entry.object = std::make_shared<const k8s::Workload>(workload);
  (void)store.put(std::move(entry));
}

struct Shop {
  NamespaceView view;

  Shop() {
    put(view.deployments, "web", "app=web");
    put(view.deployments, "all", "");
    put(view.deployments, "odd", "app in");
    put(view.stateful_sets, "db", "app=db");
  }

  // How many selectors there are, and what they are for.
  [[nodiscard]] std::string gated(const Caches& caches) const {
    std::string apps;
    for (const k8s::LabelSelector& selector : gated_selectors(caches, &view)) {
      for (const char* app : {"web", "db"}) {
        apps += selector.matches({{"app", app}}) ? std::string(app) + " " : "";
      }
    }
    return apps;
  }
};

TEST_CASE("the pods of gating ScaledCaches' targets are gated") {
  const Shop shop;
  CHECK(shop.gated({gating("web"), gating("db", "StatefulSet")}) == "web db ");
  CHECK(shop.gated({}).empty());
}

TEST_CASE("whatever is not known well enough gates nothing") {
  struct Row {
    const char* name;
    std::function<void(k8s::ScaledCache&)> change;
  };

  const Shop shop;
  for (const Row& row : {
           Row{"it does not gate",
               [](k8s::ScaledCache& cache) { cache.spec.warmup.mode = k8s::WarmupMode::Off; }},
           Row{"it is being deleted", [](k8s::ScaledCache& cache) { cache.meta.deleting = true; }},
           Row{"it is a dry run", [](k8s::ScaledCache& cache) { cache.spec.dry_run = true; }},
           Row{"it is invalid",
               [](k8s::ScaledCache& cache) {
                 cache.problems.push_back({"spec", "is wrong"});
               }},
           Row{"the target is not there",
               [](k8s::ScaledCache& cache) { cache.spec.target.name = "gone"; }},
           Row{"the target is of another kind",
               [](k8s::ScaledCache& cache) { cache.spec.target.kind = "CloneSet"; }},
           Row{"the target is of another group",
               [](k8s::ScaledCache& cache) { cache.spec.target.api_version = "x.io/v1"; }},
           Row{"the target's selector selects everything",
               [](k8s::ScaledCache& cache) { cache.spec.target.name = "all"; }},
           Row{"the target's selector cannot be read",
               [](k8s::ScaledCache& cache) { cache.spec.target.name = "odd"; }},
       }) {
    SUBCASE(row.name) {
      const auto cache = gating("web");
      row.change(*cache);
      CHECK(gated_selectors({cache}, &shop.view).empty());
    }
  }
  CHECK(gated_selectors({gating("web")}, nullptr).empty());
}

TEST_CASE("one that is paused gates on") {
  const Shop shop;
  const auto cache = gating("web");
  cache->pause.paused = true;
  CHECK(shop.gated({cache}) == "web ");
}

}  // namespace
}  // namespace scaledcache::controller
