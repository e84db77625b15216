#include "k8s/api_server.h"

#include <utility>

namespace scaledcache::k8s {
namespace {

#if defined(__aarch64__)
constexpr std::string_view kPlatform = "linux/arm64";
#else
constexpr std::string_view kPlatform = "linux/amd64";
#endif

}  // namespace

std::string user_agent_of(std::string_view version) {
  return "scaledcache/" + std::string(version) + " (" + std::string(kPlatform) + ")";
}

ApiServer::ApiServer(std::string base_url, Credentials& credentials, std::string user_agent)
    : base_url_(std::move(base_url)),
      credentials_(credentials),
      user_agent_(std::move(user_agent)) {}

http::Request ApiServer::request(http::Method method, std::string_view path) const {
  http::Request request;
  request.method = method;
  request.url = base_url_ + std::string(path);
  request.headers = {{"Accept", "application/json"}, {"User-Agent", user_agent_}};
  const Secret<std::string> authorization = credentials_.authorization();
  if (!authorization.reveal().empty()) {
    request.headers.push_back({"Authorization", authorization.reveal()});
  }
  return request;
}

}  // namespace scaledcache::k8s
