// A request as the rights of Kubernetes (RBAC) see it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loopback/http_request.h"

namespace scaledcache::loopback {

struct ApiCall {
  std::string verb;      // get, list, watch, create, update, patch or delete
  std::string group;     // empty: the core group
  std::string resource;  // plural, with its subresource: "pods/status"
  std::string name_space;
  std::string name;

  bool operator==(const ApiCall&) const = default;

  // One line, its parts divided by tabs.
  [[nodiscard]] std::string line() const;
};

// The parts of a path between its slashes.
[[nodiscard]] std::vector<std::string> segments_of(std::string_view path);

// Nothing for what every identity may do: discovery and /version.
[[nodiscard]] std::optional<ApiCall> call_of(const HttpRequest& request);

}  // namespace scaledcache::loopback
