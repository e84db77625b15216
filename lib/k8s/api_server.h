// One API server as its clients see it: where it is, and what every request to it carries.
#pragma once

#include <string>
#include <string_view>

#include "http/transport.h"
#include "k8s/credentials.h"

namespace scaledcache::k8s {

// "scaledcache/0.1.0 (linux/amd64)": audit logs and field managers depend on it.
[[nodiscard]] std::string user_agent_of(std::string_view version);

// Thread safe.
class ApiServer {
 public:
  // `base_url` is origin and path prefix of a ClusterConfig.
  ApiServer(std::string base_url, Credentials& credentials, std::string user_agent);

  // A request for `path` (with its query) that carries Authorization, User-Agent and Accept.
  [[nodiscard]] http::Request request(http::Method method, std::string_view path) const;

  // After a 401: the next request reads the token again.
  void drop_token() const { credentials_.drop_token(); }

 private:
  std::string base_url_;
  Credentials& credentials_;
  std::string user_agent_;
};

}  // namespace scaledcache::k8s
