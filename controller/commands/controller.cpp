// `scaledcache controller`: reads the command line and the cluster's configuration, then runs.
#include <iostream>

#include "controller/app.h"
#include "controller/commands/cluster.h"
#include "controller/commands/commands.h"
#include "controller/options.h"
#include "controller/process_memory.h"
#include "http/cpprest_transport.h"
#include "k8s/kubeconfig.h"
#include "runtime/signals.h"

namespace scaledcache::controller {
namespace {

constexpr int kApiThreads = 4;  // they only move bytes; walks block on threads of ours

std::vector<Flag> flags_of_options() {
  std::vector<Flag> flags;
  for (const FlagText& text : controller_flags()) {
    if (text.name != help_flag().name) {
      flags.push_back({.name = text.name,
                       .value = text.value,
                       .help = text.help,
                       .kind = text.value == "FILE" ? Word::File : Word::Text});
    }
  }
  return flags;
}

}  // namespace

const CommandSpec& controller_spec() {
  static const CommandSpec spec{
      .name = "controller",
      .summary = "watch ScaledCaches and scale their targets: what runs in the cluster",
      .synopses = {"controller [flags]"},
      .description =
          {"Runs until SIGTERM or SIGINT. Each flag can be set by an environment variable: "
           "--backend-url is SCALEDCACHE_BACKEND_URL; lists are separated by commas. A flag beats "
           "the "
           "environment."},
      .flags = flags_of_options(),
      .examples = {{"controller --backend-url http://prometheus.monitoring:9090",
                    "As the chart runs it"},
                   {"controller --kubeconfig ~/.kube/config --namespace blog --log-format text",
                    "On your own machine, for one namespace"}},
      .exits = {{0, "asked to stop"},
                {2, "wrong flags, or a cluster configuration that cannot be used"}}};
  return spec;
}

int run_controller(std::span<const std::string> arguments, const Environment& environment) {
  const auto options = parse_options(arguments, environment);
  if (!options) {
    std::cerr << options.error().message << "\n";
    return 2;
  }
  const auto cluster =
      k8s::load_cluster_config(config_request(options->kubeconfig, options->context, environment));
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
