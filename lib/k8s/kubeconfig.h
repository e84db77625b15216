// Where the API server is and who we are to it: from a kubeconfig or from the files of a pod. What
// is not supported is refused by name, never ignored.
#pragma once

#include <string>

#include "base/result.h"
#include "base/secret.h"
#include "http/tls.h"
#include "k8s/files.h"

namespace scaledcache::k8s {

inline constexpr const char* kServiceAccountMount = "/var/run/secrets/kubernetes.io/serviceaccount";

// One API server and one identity. The TLS texts are PEM; whether they can be used is for the
// transport to judge.
struct ClusterConfig {
  std::string origin;       // "https://host:port"
  std::string path_prefix;  // of a server behind a path, such as "/k8s/clusters/c-1"; else empty
  std::string source;       // for people: "in-cluster", or the context and its file
  std::string name_space;   // of the pod or the context; "default" when neither says
  http::ClientTlsOptions tls;
  std::string ca_file;  // where to read the PEM texts of `tls` again; empty: given inline
  std::string certificate_file;
  std::string key_file;
  Secret<std::string> token;  // the first one; empty: none
  std::string token_file;     // where to read it again
};

// What the command line and the environment say. Empty members were not given.
struct ConfigRequest {
  std::string kubeconfig_flag{};    // must exist
  std::string context_flag{};       // instead of current-context
  std::string kubeconfig_env{};     // KUBECONFIG: a list of paths; missing files are skipped
  std::string home_env{};           // HOME
  std::string service_host_env{};   // KUBERNETES_SERVICE_HOST
  std::string service_port_env{};   // KUBERNETES_SERVICE_PORT
  std::string pod_namespace_env{};  // POD_NAMESPACE
  std::string mount = kServiceAccountMount;
};

// The first that applies: --kubeconfig, KUBECONFIG, the pod's service account, ~/.kube/config.
// Invalid with one sentence that names file, field, value and what is allowed.
[[nodiscard]] Result<ClusterConfig> load_cluster_config(const ConfigRequest& request,
                                                        const FileReader& read = read_file);

// Merges the kubeconfigs named by `request` (the first file wins per entry and for
// current-context) and takes the chosen context.
[[nodiscard]] Result<ClusterConfig> load_kubeconfig(const ConfigRequest& request,
                                                    const FileReader& read = read_file);

// From the environment and files that every pod has.
[[nodiscard]] Result<ClusterConfig> load_in_cluster(const ConfigRequest& request,
                                                    const FileReader& read = read_file);

}  // namespace scaledcache::k8s
