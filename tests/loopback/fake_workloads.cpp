#include "loopback/fake_workloads.h"

#include "base/clock.h"
#include "base/rfc3339.h"

namespace scaledcache::loopback {
namespace {

constexpr const char* kHash = "7d4b9c6f58";

Json owner_reference(const Json& owner) {
  return Json::array({{{"apiVersion", owner["apiVersion"]},
                       {"kind", owner["kind"]},
                       {"name", owner["metadata"]["name"]},
                       {"uid", owner["metadata"]["uid"]},
                       {"controller", true},
                       {"blockOwnerDeletion", true}}});
}

std::string pod_name(const Json& workload, int number) {
  const auto name = workload["metadata"]["name"].get<std::string>();
  if (workload["kind"] == "StatefulSet") {
    return name + "-" + std::to_string(number);
  }
  return name + "-" + kHash + "-p" + std::to_string(1000 + number);
}

}  // namespace

Json workload_manifest(const std::string& name_space, const std::string& name, int replicas) {
  const Json labels{{"app", name}};
  return {{"metadata", {{"namespace", name_space}, {"name", name}, {"labels", labels}}},
          {"spec",
           {{"replicas", replicas},
            {"selector", {{"matchLabels", labels}}},
            {"template", {{"metadata", {{"labels", labels}}}}}}}};
}

void FakeWorkloads::hold(bool held) {
  std::lock_guard lock(mutex_);
  held_ = held;
}

FakeWorkloads::Known& FakeWorkloads::known(std::string_view plural, const Json& workload) {
  const auto uid = workload["metadata"]["uid"].get<std::string>();
  const auto [at, is_new] = known_.try_emplace(uid);
  if (!is_new) {
    return at->second;
  }
  at->second.owner_uid = uid;
  if (plural == "deployments") {
    Json set = workload_manifest(workload["metadata"]["namespace"],
                                 workload["metadata"]["name"].get<std::string>() + "-" + kHash,
                                 workload["spec"].value("replicas", 1));
    set["metadata"]["ownerReferences"] = owner_reference(workload);
    set["metadata"]["labels"]["pod-template-hash"] = kHash;
    set["metadata"]["annotations"]["deployment.kubernetes.io/revision"] = "1";
    at->second.owner_uid = objects_.apply("replicasets", set)["metadata"]["uid"];
  }
  return at->second;
}

void FakeWorkloads::add_pod(Known& known, const Json& workload, bool is_old) {
  const bool stateful = workload["kind"] == "StatefulSet";
  const std::string since =
      format_time(system_clock().wall() - (is_old ? std::chrono::hours{1} : std::chrono::hours{0}));
  const std::string name = pod_name(workload, known.next_pod++);
  Json owner = workload;
  if (!stateful) {
    owner["kind"] = "ReplicaSet";
    owner["metadata"]["name"] = workload["metadata"]["name"].get<std::string>() + "-" + kHash;
    owner["metadata"]["uid"] = known.owner_uid;
  }
  Json labels = workload["metadata"]["labels"];
  labels[stateful ? "controller-revision-hash" : "pod-template-hash"] = kHash;
  const Json ready{{"type", "Ready"}, {"status", "True"}, {"lastTransitionTime", since}};
  const Json container{
      {"name", "cache"}, {"ready", true}, {"state", {{"running", {{"startedAt", since}}}}}};
  objects_.create("pods", {{"metadata",
                            {{"namespace", workload["metadata"]["namespace"]},
                             {"name", name},
                             {"labels", std::move(labels)},
                             {"creationTimestamp", since},
                             {"ownerReferences", owner_reference(owner)}}},
                           {"spec", {{"containers", Json::array({{{"name", "cache"}}})}}},
                           {"status",
                            {{"phase", "Running"},
                             {"podIP", "10.0.0." + std::to_string(known.next_pod)},
                             {"startTime", since},
                             {"conditions", Json::array({ready})},
                             {"containerStatuses", Json::array({container})}}}});
  known.pods.push_back(name);
}

void FakeWorkloads::reconcile(std::string_view plural, const std::string& key) {
  std::lock_guard lock(mutex_);
  const auto workload = objects_.find(plural, key);
  if (!workload || held_) {
    return;
  }
  const bool first = !known_.contains((*workload)["metadata"]["uid"].get<std::string>());
  Known& pods = known(plural, *workload);
  const auto wanted = static_cast<std::size_t>((*workload)["spec"].value("replicas", 1));
  while (pods.pods.size() < wanted) {
    add_pod(pods, *workload, first);
  }
  while (pods.pods.size() > wanted) {
    objects_.remove(
        "pods", (*workload)["metadata"]["namespace"].get<std::string>() + "/" + pods.pods.back());
    pods.pods.pop_back();
    pods.next_pod -= plural == "statefulsets" ? 1 : 0;
  }
  objects_.update(plural, key, [&](Json object) {
    object["status"] = {{"observedGeneration", object["metadata"]["generation"]},
                        {"replicas", wanted},
                        {"updatedReplicas", wanted},
                        {"readyReplicas", wanted},
                        {"availableReplicas", wanted}};
    return KubeAnswer{200, std::move(object)};
  });
  on_pods_(key, pods.pods);
}

}  // namespace scaledcache::loopback
