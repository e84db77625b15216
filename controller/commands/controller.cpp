// `scaledcache controller`: reads the command line and the cluster's configuration, then runs.
#include <iostream>

#include "base/clock.h"
#include "controller/app.h"
#include "controller/commands/commands.h"
#include "controller/options.h"
#include "controller/process_memory.h"
#include "http/cpprest_transport.h"
#include "k8s/kubeconfig.h"
#include "runtime/signals.h"

namespace scaledcache::controller {
namespace {

constexpr int kApiThreads = 4;  // they only move bytes; walks block on threads of ours

std::string value_of(const Environment& environment, std::string_view name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

k8s::ConfigRequest config_request(const Options& options, const Environment& environment) {
  k8s::ConfigRequest request;
  request.kubeconfig_flag = options.kubeconfig;
  request.context_flag = options.context;
  request.kubeconfig_env = value_of(environment, "KUBECONFIG");
  request.home_env = value_of(environment, "HOME");
  request.service_host_env = value_of(environment, "KUBERNETES_SERVICE_HOST");
  request.service_port_env = value_of(environment, "KUBERNETES_SERVICE_PORT");
  request.pod_namespace_env = value_of(environment, "POD_NAMESPACE");
  return request;
}

bool wants_help(std::span<const std::string> arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--help" || argument == "-h") {
      return true;
    }
  }
  return false;
}

}  // namespace

int run_controller(std::span<const std::string> arguments) {
  if (wants_help(arguments)) {
    std::cout << options_help();
    return 0;
  }
  const Environment environment = read_environment();
  const auto options = parse_options(arguments, environment);
  if (!options) {
    std::cerr << options.error().message << "\n";
    return 2;
  }
  const auto cluster = k8s::load_cluster_config(config_request(*options, environment));
  if (!cluster) {
    std::cerr << cluster.error().message << "\n";
    return 2;
  }
  limit_allocator();
  TerminationSignals signals;
  http::initialize_api_transport(kApiThreads);
  return run_app(*options, *cluster, environment, signals);
}

}  // namespace scaledcache::controller
