#include "cache/pod_door.h"

#include <algorithm>

#include "http/ascii.h"
#include "http/url.h"

namespace scaledcache::cache {
namespace {

// `host` without its port, brackets kept.
std::string_view without_port(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  const std::size_t bracket = host.rfind(']');
  const bool has_port =
      colon != std::string_view::npos && (bracket == std::string_view::npos || bracket < colon);
  return has_port ? host.substr(0, colon) : host;
}

bool is_host(std::string_view host) {
  constexpr std::string_view kMarks = "-._:[]";
  return !host.empty() && std::all_of(host.begin(), host.end(), [&](char c) {
    return http::is_alnum(c) || kMarks.find(c) != std::string_view::npos;
  });
}

}  // namespace

std::string host_name(std::string_view host) {
  return http::to_lower(without_port(host));
}

Result<http::Request> pod_request(const PodDoor& door,
                                  const http::Address& address,
                                  std::string_view path) {
  if (!is_host(door.host)) {
    return Error{ErrorCode::Invalid, "warmup.hostHeader is not a host name"};
  }
  if (door.port == 0) {
    return Error{ErrorCode::Invalid, "warmup.port is not a port"};
  }
  if (!path.starts_with('/')) {
    return Error{ErrorCode::Invalid, "a path does not begin with a slash"};
  }
  http::Request request;
  request.url = door.scheme + "://" + std::string(without_port(door.host)) + ":" +
                std::to_string(door.port) + std::string(path);
  if (const auto url = http::parse_url(request.url); !url) {
    return url.error();
  }
  request.pod = http::PodCall{.address = address, .host = door.host, .keep_body_bytes = 0};
  return request;
}

}  // namespace scaledcache::cache
