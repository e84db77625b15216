#include "loopback/fake_workloads.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/clock.h"
#include "base/rfc3339.h"

namespace scaledcache::loopback {
namespace {

constexpr const char* kHash = "7d4b9c6f58";
constexpr const char* kGate = "scaledcache.io/cache-warm";

Json condition(const char* type, bool is_true, const std::string& since) {
  return {{"type", type}, {"status", is_true ? "True" : "False"}, {"lastTransitionTime", since}};
}

bool is_true(const Json& pod, const std::string& type) {
  for (const Json& one : pod["status"]["conditions"]) {
    if (one["type"] == type) {
      return one["status"] == "True";
    }
  }
  return false;
}

// Sets a condition; its time moves with its status.
void set_condition(Json& pod, const char* type, bool value, const std::string& now) {
  for (Json& one : pod["status"]["conditions"]) {
    if (one["type"] == type) {
      if ((one["status"] == "True") != value) {
        one = condition(type, value, now);
      }
      return;
    }
  }
  pod["status"]["conditions"].push_back(condition(type, value, now));
}

void judge(Json& pod, const std::string& now) {
  bool ready = is_true(pod, "ContainersReady");
  for (const Json& gate : pod["spec"].value("readinessGates", Json::array())) {
    ready = ready && is_true(pod, gate["conditionType"]);
  }
  set_condition(pod, "Ready", ready, now);
}

std::string now_text() {
  return format_time(system_clock().wall());
}

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

std::string gated_pod_address(int index) {
  return "127.0.1." + std::to_string(index + 1);
}

Json with_gate(Json workload, int port) {
  Json& pod = workload["spec"]["template"];
  pod["metadata"]["labels"]["scaledcache.io/gated"] = "true";
  pod["spec"]["readinessGates"] = Json::array({{{"conditionType", kGate}}});
  pod["spec"]["containers"] =
      Json::array({{{"name", "cache"}, {"ports", Json::array({{{"containerPort", port}}})}}});
  return workload;
}

void FakeWorkloads::doom(const std::string& pod) {
  std::lock_guard lock(mutex_);
  doomed_ = pod;
}

std::vector<std::string> FakeWorkloads::went_while_serving() const {
  std::lock_guard lock(mutex_);
  return went_while_serving_;
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
  at->second.workload = key_of(workload);
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
  const Json template_spec = workload.value("/spec/template/spec"_json_pointer, Json::object());
  const bool gated = template_spec.contains("readinessGates");
  Json labels = workload.value("/spec/template/metadata/labels"_json_pointer, Json::object());
  labels[stateful ? "controller-revision-hash" : "pod-template-hash"] = kHash;
  Json spec{{"containers", Json::array({{{"name", "cache"}}})}, {"nodeName", "node-1"}};
  spec.merge_patch(template_spec);
  const Json container{{"name", "cache"},
                       {"containerID", "containerd://" + std::to_string(++containers_)},
                       {"ready", true},
                       {"state", {{"running", {{"startedAt", since}}}}}};
  Json pod{{"metadata",
            {{"namespace", workload["metadata"]["namespace"]},
             {"name", name},
             {"labels", std::move(labels)},
             {"creationTimestamp", since},
             {"ownerReferences", owner_reference(owner)}}},
           {"spec", std::move(spec)},
           {"status",
            {{"phase", "Running"},
             {"podIP",
              gated ? gated_pod_address(addresses_++) : "10.0.0." + std::to_string(known.next_pod)},
             {"startTime", since},
             {"conditions", Json::array({condition("ContainersReady", true, since)})},
             {"containerStatuses", Json::array({container})}}}};
  if (gated && is_old) {  // as an operator of before has left it
    Json gate = condition(kGate, true, since);
    gate["reason"] = "CacheWarm";
    pod["status"]["conditions"].push_back(std::move(gate));
  }
  judge(pod, since);
  objects_.create("pods", std::move(pod));
  known.pods.push_back(name);
}

// As the ReplicaSet controller chooses, as far as tests need it: the un-ready before the ready,
// then by deletion cost, then the youngest.
void FakeWorkloads::remove_pod(Known& known, const std::string& name_space) {
  const auto rank = [&](const std::string& name) {
    const auto pod = objects_.find("pods", name_space + "/" + name);
    const Json annotations =
        pod ? pod->value("/metadata/annotations"_json_pointer, Json::object()) : Json::object();
    return std::make_pair(
        pod && is_true(*pod, "Ready"),
        std::stoi(annotations.value("controller.kubernetes.io/pod-deletion-cost", "0")));
  };
  auto victim = std::prev(known.pods.end());
  const bool by_ordinal = known.pods.back() == known.workload.substr(name_space.size() + 1) + "-" +
                                                   std::to_string(known.pods.size() - 1);
  for (auto at = known.pods.rbegin(); at != known.pods.rend() && !by_ordinal; ++at) {
    if (rank(*at) < rank(*victim)) {
      victim = std::prev(at.base());
    }
  }
  const auto doomed = std::find(known.pods.begin(), known.pods.end(), doomed_);
  victim = doomed == known.pods.end() ? victim : doomed;
  if (rank(*victim).first) {
    went_while_serving_.push_back(*victim);
  }
  objects_.remove("pods", name_space + "/" + *victim);
  known.pods.erase(victim);
}

void FakeWorkloads::tell_serving(const Known& known) {
  std::vector<std::string> serving;
  const std::string name_space = known.workload.substr(0, known.workload.find('/'));
  for (const std::string& name : known.pods) {
    const auto pod = objects_.find("pods", name_space + "/" + name);
    if (pod && is_true(*pod, "Ready")) {
      serving.push_back(name);
    }
  }
  on_pods_(known.workload, serving);
}

void FakeWorkloads::judge_readiness(const std::string& pod_key) {
  std::lock_guard lock(mutex_);
  objects_.update("pods", pod_key, [](Json pod) {
    judge(pod, now_text());
    return KubeAnswer{200, std::move(pod)};
  });
  for (const auto& [uid, known] : known_) {
    const std::string prefix = known.workload.substr(0, known.workload.find('/') + 1);
    const auto& pods = known.pods;
    if (pod_key.starts_with(prefix) &&
        std::find(pods.begin(), pods.end(), pod_key.substr(prefix.size())) != pods.end()) {
      tell_serving(known);
    }
  }
}

void FakeWorkloads::restart_container(const std::string& pod_key) {
  {
    std::lock_guard lock(mutex_);
    const std::string id = "containerd://" + std::to_string(++containers_);
    objects_.update("pods", pod_key, [&](Json pod) {
      Json& container = pod["status"]["containerStatuses"][0];
      container["containerID"] = id;
      container["state"]["running"]["startedAt"] = now_text();
      return KubeAnswer{200, std::move(pod)};
    });
  }
  judge_readiness(pod_key);
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
    remove_pod(pods, (*workload)["metadata"]["namespace"]);
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
  tell_serving(pods);
}

}  // namespace scaledcache::loopback
