#include "controller/commands/cluster.h"

#include "base/clock.h"
#include "controller/version.h"
#include "k8s/paths.h"

namespace scaledcache::controller {
namespace {

constexpr int kThreads = 1;

std::string value_of(const EnvironmentMap& environment, std::string_view name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

}  // namespace

k8s::ConfigRequest config_request(const std::string& kubeconfig,
                                  const std::string& context,
                                  const EnvironmentMap& environment) {
  k8s::ConfigRequest request;
  request.kubeconfig_flag = kubeconfig;
  request.context_flag = context;
  request.kubeconfig_env = value_of(environment, "KUBECONFIG");
  request.home_env = value_of(environment, "HOME");
  request.service_host_env = value_of(environment, "KUBERNETES_SERVICE_HOST");
  request.service_port_env = value_of(environment, "KUBERNETES_SERVICE_PORT");
  request.pod_namespace_env = value_of(environment, "POD_NAMESPACE");
  return request;
}

Result<std::unique_ptr<Cluster>> Cluster::open(const k8s::ConfigRequest& request) {
  auto config = k8s::load_cluster_config(request);
  if (!config) {
    return config.error();
  }
  http::initialize_api_transport(kThreads);
  auto transport = http::CpprestTransport::create(config->origin, config->tls);
  if (!transport) {
    return Error{transport.error().code, config->source + ": " + transport.error().message};
  }
  return std::unique_ptr<Cluster>(new Cluster(*std::move(config), *std::move(transport)));
}

Cluster::Cluster(k8s::ClusterConfig config, std::unique_ptr<http::CpprestTransport> transport)
    : config_(std::move(config)),
      credentials_(config_, system_clock()),
      server_(config_.origin + config_.path_prefix, credentials_, k8s::user_agent_of(kVersion)),
      transport_(std::move(transport)),
      client_(*transport_, server_, system_clock(), {}) {}

Result<SeenCache> fetch_cache(k8s::KubeClient& client,
                              const std::string& name_space,
                              const std::string& name) {
  const auto object = client.get(k8s::object_path(k8s::scaled_caches(), name_space, name));
  if (!object) {
    return object.error();
  }
  auto cache = k8s::scaled_cache_from_json(*object);
  if (!cache) {
    return cache.error();
  }
  SeenCache seen{*std::move(cache), {}};
  auto events = client.list(k8s::with_query(k8s::collection_path(k8s::events(), name_space),
                                            {{"fieldSelector", "regarding.name=" + name}}));
  if (events) {
    seen.events = std::move(events->items);
  }
  return seen;
}

}  // namespace scaledcache::controller
