// Lists, page by page, and discovery of the fake API server.
#include <algorithm>

#include "loopback/fake_api_server.h"

namespace scaledcache::loopback {

Json FakeApiServer::discover(std::string_view group, std::string_view version) {
  Json resources = Json::array();
  std::string group_version;
  for (const ServedKind& kind : served_kinds()) {
    if (kind.group != group || kind.version != version) {
      continue;
    }
    group_version = kind.api_version();
    const Json verbs = Json::array({"get", "list", "patch", "watch"});
    resources.push_back({{"name", kind.plural},
                         {"singularName", ""},
                         {"namespaced", true},
                         {"kind", kind.kind},
                         {"verbs", verbs}});
    if (kind.has_scale) {
      resources.push_back({{"name", kind.plural + "/scale"},
                           {"singularName", ""},
                           {"namespaced", true},
                           {"group", "autoscaling"},
                           {"version", "v1"},
                           {"kind", "Scale"},
                           {"verbs", verbs}});
    }
  }
  return {{"kind", "APIResourceList"},
          {"apiVersion", "v1"},
          {"groupVersion", group_version},
          {"resources", std::move(resources)}};
}

KubeAnswer FakeApiServer::list(const HttpRequest& request, const Route& route) {
  const std::string token = request.parameter("continue");
  if (token.empty()) {
    const std::string field = request.parameter("fieldSelector");
    const std::string by_name = "metadata.name=";
    const Selection selection{route.name_space, request.parameter("labelSelector"),
                              field.starts_with(by_name) ? field.substr(by_name.size()) : ""};
    return page(request, route, objects_.list(route.kind->plural, selection));
  }
  ListView rest;
  {
    std::lock_guard lock(mutex_);
    auto found = pages_.extract(token);
    if (!found) {
      return refusal(410, "The provided continue parameter is too old");
    }
    rest = std::move(found.mapped());
  }
  return page(request, route, std::move(rest));
}

KubeAnswer FakeApiServer::page(const HttpRequest& request, const Route& route, ListView view) {
  const std::string limit = request.parameter("limit");
  const std::size_t size = limit.empty() || limit == "0"
                               ? view.items.size()
                               : std::min<std::size_t>(std::stoul(limit), page_size_.load());
  Json items = Json::array();
  const std::size_t taken = std::min(size, view.items.size());
  for (std::size_t i = 0; i < taken; ++i) {
    items.push_back(view.items[i]);
    if (!route.kind->custom) {
      items.back().erase("apiVersion");
      items.back().erase("kind");
    }
  }
  Json meta{{"resourceVersion", std::to_string(view.version)}};
  view.items.erase(view.items.begin(), view.items.begin() + static_cast<std::ptrdiff_t>(taken));
  if (!view.items.empty()) {
    meta["remainingItemCount"] = view.items.size();
    std::lock_guard lock(mutex_);
    const std::string token = "page-" + std::to_string(requests_.size());
    meta["continue"] = token;
    pages_[token] = std::move(view);
  }
  return {200,
          {{"kind", route.kind->kind + "List"},
           {"apiVersion", route.kind->api_version()},
           {"metadata", std::move(meta)},
           {"items", std::move(items)}}};
}

}  // namespace scaledcache::loopback
