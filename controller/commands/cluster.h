// The cluster that a command of a user speaks to: one API server, one identity, a few requests.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "http/cpprest_transport.h"
#include "k8s/credentials.h"
#include "k8s/kube_client.h"
#include "k8s/kubeconfig.h"
#include "k8s/scaled_cache.h"

namespace scaledcache::controller {

using EnvironmentMap = std::map<std::string, std::string, std::less<>>;

// What decides which cluster is meant: the flags --kubeconfig and --context, and the environment.
[[nodiscard]] k8s::ConfigRequest config_request(const std::string& kubeconfig,
                                                const std::string& context,
                                                const EnvironmentMap& environment);

class Cluster {
 public:
  // Connects to nothing. Invalid where the configuration or its TLS material cannot be used.
  [[nodiscard]] static Result<std::unique_ptr<Cluster>> open(const k8s::ConfigRequest& request);

  [[nodiscard]] k8s::KubeClient& client() { return client_; }

  // Of the context, "default" where it names none.
  [[nodiscard]] const std::string& name_space() const { return config_.name_space; }

 private:
  Cluster(k8s::ClusterConfig config, std::unique_ptr<http::CpprestTransport> transport);

  const k8s::ClusterConfig config_;
  k8s::Credentials credentials_;
  k8s::ApiServer server_;
  std::unique_ptr<http::CpprestTransport> transport_;
  k8s::KubeClient client_;
};

struct SeenCache {
  k8s::ScaledCache cache;
  std::vector<Json> events;  // of its namespace, as far as we may read them
};

// One ScaledCache and the events that regard it; without the right to list events there are none.
[[nodiscard]] Result<SeenCache> fetch_cache(k8s::KubeClient& client,
                                            const std::string& name_space,
                                            const std::string& name);

}  // namespace scaledcache::controller
