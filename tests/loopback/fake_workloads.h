// Plays the controllers of Deployments and StatefulSets and the kubelet: pods come and go with the
// count, and are ready at once, unless a test or a readiness gate holds them back.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

#include "loopback/kube_objects.h"

namespace scaledcache::loopback {

// Names of the pods that serve, oldest first.
using OnPods =
    std::function<void(const std::string& workload_key, const std::vector<std::string>& pods)>;

// Thread safe.
class FakeWorkloads {
 public:
  FakeWorkloads(KubeObjects& objects, OnPods on_pods)
      : objects_(objects), on_pods_(std::move(on_pods)) {}

  // Makes the pods of one workload fit its count. Those of its first time are an hour old.
  void reconcile(std::string_view plural, const std::string& key);

  // While held, counts change and pods do not.
  void hold(bool held);

  // The next pod to go, whatever the order says.
  void doom(const std::string& pod);

  // Pods that were Ready when their controller deleted them.
  [[nodiscard]] std::vector<std::string> went_while_serving() const;

  // What the kubelet does when something of a pod changed: Ready follows its containers and gates.
  void judge_readiness(const std::string& pod_key);

  // A container ends and starts anew: another ID, another start, and its readiness begins again.
  void restart_container(const std::string& pod_key);

 private:
  struct Known {
    std::string workload;   // key
    std::string owner_uid;  // of its pods
    int next_pod = 0;
    std::vector<std::string> pods;  // names, oldest first
  };

  Known& known(std::string_view plural, const Json& workload);
  void add_pod(Known& known, const Json& workload, bool is_old);
  void remove_pod(Known& known, const std::string& name_space);
  void tell_serving(const Known& known);

  KubeObjects& objects_;
  const OnPods on_pods_;
  mutable std::mutex mutex_;
  bool held_ = false;
  std::string doomed_;
  std::vector<std::string> went_while_serving_;
  int addresses_ = 0;                   // given to pods so far
  int containers_ = 0;                  // started so far
  std::map<std::string, Known> known_;  // by UID of the workload
};

// The address of the pod that was made as number `index`, from 0 on, of those that have a gate.
[[nodiscard]] std::string gated_pod_address(int index);

// `workload` with our readiness gate in its template, the label beside it, and a port.
[[nodiscard]] Json with_gate(Json workload, int port);

// A Deployment or StatefulSet as a user would apply it; its pods carry the label app=<name>.
[[nodiscard]] Json workload_manifest(const std::string& name_space,
                                     const std::string& name,
                                     int replicas);

}  // namespace scaledcache::loopback
