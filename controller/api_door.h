// The way to the API server: its connections, the lease that decides who may write, and the clients
// that everything else asks and writes through.
#pragma once

#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/result.h"
#include "controller/leader.h"
#include "controller/log.h"
#include "controller/setup.h"
#include "controller/target.h"
#include "http/cpprest_transport.h"
#include "k8s/api_server.h"
#include "k8s/credentials.h"
#include "k8s/discovery.h"
#include "k8s/kube_client.h"

namespace scaledcache::controller {

// The lease has a connection of its own, so that nothing that is slow can cost it.
struct ApiConnections {
  std::unique_ptr<k8s::Credentials> credentials;
  std::unique_ptr<http::CpprestTransport> requests;
  std::unique_ptr<http::CpprestTransport> lease;
};

// Errors are those of CpprestTransport::create. Connects to nothing.
[[nodiscard]] Result<ApiConnections> make_connections(const k8s::ClusterConfig& cluster,
                                                      Clock& clock);

// Thread safe. Outlives everything that writes: with it the lease is given back.
struct ApiDoor {
  ApiDoor(const Setup& setup, ApiConnections made, Clock& clock, const Log& log);

  // Whether this process decides and writes; without an election always.
  [[nodiscard]] bool leads() const { return !leader || leader->leads(); }

  // Since when nobody has tried for the lease; nothing without an election.
  [[nodiscard]] std::optional<Milliseconds> lease_silence() const;

  // A connection for one more watch. Errors are those of CpprestTransport::create.
  [[nodiscard]] Result<std::unique_ptr<http::CpprestTransport>> make_transport() const;

  // Reads certificates and keys again; those that changed, for new connections.
  [[nodiscard]] std::optional<http::ClientTlsOptions> reload_tls();

  const std::string origin;
  const ApiConnections connections;
  const k8s::ApiServer server;
  const std::unique_ptr<Leader> leader;  // nullptr: this process leads, whoever else does
  k8s::KubeClient client;
  k8s::KubeClient gate_client;  // with a budget of its own: no status write delays a pod
  k8s::Discovery discovery;
  TargetFinder targets;
};

}  // namespace scaledcache::controller
