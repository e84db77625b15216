#include "controller/api_door.h"

#include <random>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "base/boot_clock.h"
#include "controller/version.h"

namespace scaledcache::controller {
namespace {

// A restart under the same name is another candidate.
Candidacy candidacy(const Setup& setup) {
  std::random_device random;
  const LeaderOptions& options = setup.options.leader;
  const std::string& name_space = options.lease_namespace;
  return {{name_space.empty() ? setup.cluster.name_space : name_space, options.lease_name},
          fmt::format("{}_{:08x}{:08x}", instance_name(setup.environment), random(), random()),
          options.timing};
}

// What only the leader may write, with a window that is asked right before each write.
k8s::KubeClient::Options guarded_by(const Leader* leader) {
  k8s::KubeClient::Options options;
  if (leader != nullptr) {
    options.write_window = [leader] { return leader->write_window(); };
  }
  return options;
}

}  // namespace

Result<ApiConnections> make_connections(const k8s::ClusterConfig& cluster, Clock& clock) {
  auto credentials = std::make_unique<k8s::Credentials>(cluster, clock);
  auto requests = http::CpprestTransport::create(cluster.origin, credentials->tls());
  if (!requests) {
    return requests.error();
  }
  auto lease = http::CpprestTransport::create(cluster.origin, credentials->tls());
  if (!lease) {
    return lease.error();
  }
  return ApiConnections{std::move(credentials), std::move(*requests), std::move(*lease)};
}

ApiDoor::ApiDoor(const Setup& setup, ApiConnections made, Clock& clock, const Log& log)
    : origin(setup.cluster.origin),
      connections(std::move(made)),
      server(origin + setup.cluster.path_prefix,
             *connections.credentials,
             k8s::user_agent_of(kVersion)),
      leader(setup.options.leader.elect
                 ? std::make_unique<Leader>(
                       LeaderParts{*connections.lease, server, clock, system_boot_clock(), log},
                       candidacy(setup))
                 : nullptr),
      client(*connections.requests, server, clock, guarded_by(leader.get())),
      gate_client(*connections.requests, server, clock, guarded_by(leader.get())),
      discovery(client, clock),
      targets(client, discovery) {}

std::optional<Milliseconds> ApiDoor::lease_silence() const {
  return leader ? std::optional<Milliseconds>(leader->silence()) : std::nullopt;
}

Result<std::unique_ptr<http::CpprestTransport>> ApiDoor::make_transport() const {
  return http::CpprestTransport::create(origin, connections.credentials->tls());
}

std::optional<http::ClientTlsOptions> ApiDoor::reload_tls() {
  if (!connections.credentials->reload_tls()) {
    return std::nullopt;
  }
  auto tls = connections.credentials->tls();
  (void)connections.requests->update_tls(tls);
  (void)connections.lease->update_tls(tls);
  return tls;
}

}  // namespace scaledcache::controller
