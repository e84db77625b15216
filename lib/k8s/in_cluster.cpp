#include <string>
#include <utility>

#include "http/url.h"
#include "k8s/api_error.h"
#include "k8s/identity_files.h"
#include "k8s/kubeconfig.h"

namespace scaledcache::k8s {
namespace {

std::string trimmed(const std::string& text) {
  constexpr const char* kWhiteSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kWhiteSpace);
  if (first == std::string::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kWhiteSpace) - first + 1);
}

Result<std::string> origin_of(const std::string& host, const std::string& port) {
  // The API server's transport cannot dial an IPv6 literal; this name is in its certificate too.
  const bool is_ipv6 = host.find(':') != std::string::npos;
  const std::string text = "https://" + (is_ipv6 ? "kubernetes.default.svc" : host) + ":" + port;
  const auto url = http::parse_url(text);
  if (!url || url->path != "/" || !url->query.empty()) {
    return Error{ErrorCode::Invalid, "KUBERNETES_SERVICE_HOST is \"" + printable(host) +
                                         "\" and KUBERNETES_SERVICE_PORT is \"" + printable(port) +
                                         "\", must be a host and a port"};
  }
  return url->origin();
}

std::string namespace_of(const ConfigRequest& request, const FileReader& read) {
  if (!request.pod_namespace_env.empty()) {
    return request.pod_namespace_env;
  }
  const auto content = read(request.mount + "/namespace");
  std::string name_space = content ? trimmed(*content) : std::string();
  return name_space.empty() ? "default" : name_space;
}

}  // namespace

Result<ClusterConfig> load_in_cluster(const ConfigRequest& request, const FileReader& read) {
  auto origin = origin_of(request.service_host_env, request.service_port_env);
  if (!origin) {
    return origin.error();
  }
  ClusterConfig config;
  config.origin = std::move(*origin);
  config.source = "in-cluster";
  config.name_space = namespace_of(request, read);
  config.token_file = request.mount + "/token";
  config.ca_file = request.mount + "/ca.crt";
  auto token = read(config.token_file).and_then([](const std::string& content) {
    return decode_token(content);
  });
  if (!token) {
    return Error{ErrorCode::Invalid,
                 "service account token " + config.token_file + ": " + token.error().message};
  }
  config.token = std::move(*token);
  auto tls = read_tls(config, read);
  if (!tls) {
    return Error{ErrorCode::Invalid, "service account CA: " + tls.error().message};
  }
  config.tls = std::move(*tls);
  return config;
}

}  // namespace scaledcache::k8s
