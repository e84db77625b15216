#include "k8s/drain_mark.h"

#include <doctest/doctest.h>

#include "base/json.h"

namespace scaledcache::k8s {
namespace {

Pod pod(const std::string& cost = "") {
  Pod pod;
  pod.uid = "u-1";
  pod.deletion_cost = cost;
  return pod;
}

Json annotations_of(const Patch& patch) {
  return Json::parse(patch.body)["metadata"]["annotations"];
}

TEST_CASE("a mark says who drains, and what the gate said before") {
  const DrainMark mark{"web", "CacheWarm"};
  CHECK(to_text(mark) == "web/CacheWarm");
  CHECK(parse_drain_mark("web/CacheWarm") == mark);
  CHECK(parse_drain_mark("web/") == DrainMark{"web", ""});
  CHECK(parse_drain_mark("web") == DrainMark{"web", ""});
  CHECK(parse_drain_mark("a/b/c") == DrainMark{"a", "b/c"});
  CHECK(parse_drain_mark("") == DrainMark{});
}

TEST_CASE("marking is a merge patch guarded by the pod's UID") {
  const Patch patch = encode_drain_mark(pod(), {"web", "CacheWarm"}, /*with_cost=*/true);
  CHECK(patch.media_type == kMergePatch);
  CHECK(Json::parse(patch.body)["metadata"]["uid"] == "u-1");
  CHECK(annotations_of(patch) == Json{{"scaledcache.io/drain", "web/CacheWarm"},
                                      {"controller.kubernetes.io/pod-deletion-cost", "-1000"}});
  CHECK(annotations_of(encode_drain_mark(pod(), {"web", ""}, /*with_cost=*/false)) ==
        Json{{"scaledcache.io/drain", "web/"}});
}

TEST_CASE("unmarking takes off what is ours, and leaves another writer's cost") {
  const Json ours = annotations_of(encode_drain_unmark(pod("-1000")));
  CHECK(ours.size() == 2);
  CHECK(ours["scaledcache.io/drain"].is_null());
  CHECK(ours["controller.kubernetes.io/pod-deletion-cost"].is_null());
  CHECK(annotations_of(encode_drain_unmark(pod("-7"))).size() == 1);
  CHECK(has_foreign_cost(pod("-7")));
  CHECK_FALSE(has_foreign_cost(pod("-1000")));
  CHECK_FALSE(has_foreign_cost(pod()));
}

}  // namespace
}  // namespace scaledcache::k8s
