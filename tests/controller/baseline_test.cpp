#include "controller/baseline.h"

#include <doctest/doctest.h>

#include "controller/hand_made_cluster.h"

namespace scaledcache::controller {
namespace {

constexpr const char* kCreated = "2026-01-01T00:00:00Z";

constexpr const char* kBaseline =
    R"({"baseline": {"selector": {"matchLabels": {"app": "web"}}, "requestsPerReplica": 100}})";

k8s::Pod pod_of(const std::string& uid, bool ready) {
  k8s::Pod pod;
  pod.name = "web-" + uid;
  pod.name_space = "blog";
  pod.uid = uid;
  pod.phase = k8s::PodPhase::Running;
  pod.ready = ready;
  return pod;
}

FilledCluster& with_pods(FilledCluster& cluster, const std::vector<k8s::Pod>& pods) {
  std::vector<k8s::Entry<k8s::Pod>> entries;
  for (const k8s::Pod& pod : pods) {
    entries.push_back(entry_of(pod.name, pod.uid, pod));
  }
  cluster.baselines["app=web"] = std::make_shared<k8s::Store<k8s::Pod>>();
  (void)cluster.baselines["app=web"]->replace(std::move(entries));
  return cluster;
}

TEST_CASE("the baseline is the pods of its selector, without those of the target") {
  FilledCluster cluster;
  with_pods(cluster, {pod_of("1", true), pod_of("2", false), pod_of("3", true)});
  Target target;
  target.pods = {pod_of("3", true)};
  const auto pods = find_baseline_pods(cache_of("blog", kCreated, kBaseline), target, cluster);
  REQUIRE(pods);
  REQUIRE(pods->size() == 2);
  CHECK((*pods)[0].uid == "1");
  CHECK((*pods)[1].uid == "2");
  CHECK(count_ready(*pods) == 1);
}

TEST_CASE("pods on their way out do not count as serving") {
  k8s::Pod leaving = pod_of("1", true);
  leaving.deleted = WallTime{};
  CHECK(count_ready({leaving, pod_of("2", true)}) == 1);
}

TEST_CASE("without a baseline no pod is looked for") {
  FilledCluster cluster;
  const auto pods = find_baseline_pods(cache_of("blog"), Target{}, cluster);
  REQUIRE(pods);
  CHECK(pods->empty());
}

TEST_CASE("until the pods were listed nothing is known of them") {
  FilledCluster cluster;
  const k8s::ScaledCache cache = cache_of("blog", kCreated, kBaseline);
  CHECK(find_baseline_pods(cache, Target{}, cluster).error().code == ErrorCode::Unavailable);
  cluster.baselines["app=web"] = std::make_shared<k8s::Store<k8s::Pod>>();
  CHECK(find_baseline_pods(cache, Target{}, cluster).error().code == ErrorCode::Unavailable);
}

TEST_CASE("facts of a baseline stand beside those of the target") {
  std::vector<core::PodFacts> pods(1);
  core::PodFacts other;
  other.name = "web-1";
  add_baseline(pods, {other});
  REQUIRE(pods.size() == 2);
  CHECK(pods[0].belongs);
  CHECK_FALSE(pods[0].baseline);
  CHECK(pods[1].name == "web-1");
  CHECK_FALSE(pods[1].belongs);
  CHECK(pods[1].baseline);
}

}  // namespace
}  // namespace scaledcache::controller
