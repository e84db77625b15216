// Plays the controllers of Deployments and StatefulSets and the kubelet: pods come and go with the
// count, and are ready at once, unless a test holds them back.
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

 private:
  struct Known {
    std::string owner_uid;  // of its pods
    int next_pod = 0;
    std::vector<std::string> pods;  // names, oldest first
  };

  Known& known(std::string_view plural, const Json& workload);
  void add_pod(Known& known, const Json& workload, bool is_old);

  KubeObjects& objects_;
  const OnPods on_pods_;
  std::mutex mutex_;
  bool held_ = false;
  std::map<std::string, Known> known_;  // by UID of the workload
};

// A Deployment or StatefulSet as a user would apply it; its pods carry the label app=<name>.
[[nodiscard]] Json workload_manifest(const std::string& name_space,
                                     const std::string& name,
                                     int replicas);

}  // namespace scaledcache::loopback
