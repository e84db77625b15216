// The flags of an operator that runs as several replicas: who leads, and the webhook that all of
// them answer.
#pragma once

#include <string>
#include <vector>

#include "k8s/lease.h"

namespace boost::program_options {
class options_description;
}  // namespace boost::program_options

namespace scaledcache::controller {

struct LeaderOptions {
  bool elect = false;  // else this process decides, whoever else does
  std::string lease_name = "scaledcache";
  std::string lease_namespace;  // "": the operator's own
  k8s::LeaseTiming timing;
};

struct WebhookOptions {
  std::string address;  // HOST:PORT; "": no webhook
  std::string secret = "scaledcache-webhook";
  std::string configuration = "scaledcache-webhook";  // the MutatingWebhookConfiguration
  std::string service = "scaledcache-webhook";
  std::string certificate_directory;  // "": an authority of our own, kept in the Secret

  [[nodiscard]] bool enabled() const { return !address.empty(); }
};

// The durations of the lease as they came, before read_replica_flags().
struct ReplicaTexts {
  std::string duration;
  std::string renew_deadline;
  std::string retry_period;
};

// The targets outlive the description.
void describe_replica_flags(boost::program_options::options_description& flags,
                            LeaderOptions& leader,
                            WebhookOptions& webhook,
                            ReplicaTexts& texts);

// Adds a sentence for each text that is no duration.
void read_replica_flags(const ReplicaTexts& texts,
                        LeaderOptions& leader,
                        std::vector<std::string>& problems);

// Adds a sentence for each value that makes no sense.
void validate_replicas(const LeaderOptions& leader,
                       const WebhookOptions& webhook,
                       std::vector<std::string>& problems);

// "0.0.0.0:8080": a port from 0 to 65535 behind the last colon.
[[nodiscard]] bool is_host_and_port(std::string_view address);

}  // namespace scaledcache::controller
