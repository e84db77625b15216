#include "loopback/api_call.h"

#include <algorithm>
#include <string_view>

namespace scaledcache::loopback {
namespace {

std::string verb_of(const HttpRequest& request, const ApiCall& call) {
  if (request.method == "GET") {
    return !request.parameter("watch").empty() ? "watch" : call.name.empty() ? "list" : "get";
  }
  return request.method == "POST"    ? "create"
         : request.method == "PUT"   ? "update"
         : request.method == "PATCH" ? "patch"
                                     : "delete";
}

}  // namespace

std::string ApiCall::line() const {
  return verb + "\t" + group + "\t" + resource + "\t" + name_space + "\t" + name + "\n";
}

std::vector<std::string> segments_of(std::string_view path) {
  std::vector<std::string> segments;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::size_t end = std::min(path.find('/'), path.size());
    segments.emplace_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return segments;
}

std::optional<ApiCall> call_of(const HttpRequest& request) {
  std::vector<std::string> parts = segments_of(request.path);
  const bool is_core = !parts.empty() && parts[0] == "api";
  const std::size_t prefix = is_core ? 2 : 3;
  if (parts.size() <= prefix || (!is_core && parts[0] != "apis")) {
    return std::nullopt;
  }
  ApiCall call;
  call.group = is_core ? "" : parts[1];
  parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(prefix));
  if (parts.size() >= 3 && parts[0] == "namespaces") {
    call.name_space = parts[1];
    parts.erase(parts.begin(), parts.begin() + 2);
  }
  parts.resize(3);
  call.resource = parts[0] + (parts[2].empty() ? "" : "/" + parts[2]);
  call.name = parts[1];
  call.verb = verb_of(request, call);
  return call;
}

}  // namespace scaledcache::loopback
