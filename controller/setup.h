// What the process was told at its start, and what follows from that alone.
#pragma once

#include <string>

#include "controller/options.h"
#include "http/address.h"
#include "k8s/kubeconfig.h"

namespace scaledcache::controller {

// Refers to values that outlive the operator.
struct Setup {
  const Options& options;
  const k8s::ClusterConfig& cluster;
  const Environment& environment;
};

// The pod's name, as events and the page show it; "scaledcache" outside of a cluster.
[[nodiscard]] std::string instance_name(const Environment& environment);

// Where backends and pods may live: neither at an address of the API server nor at our own.
[[nodiscard]] http::AddressPolicy address_policy(const Setup& setup);

}  // namespace scaledcache::controller
