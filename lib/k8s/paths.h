// Paths of the Kubernetes API. Everything that comes from a manifest is percent-encoded here.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace scaledcache::k8s {

// One kind's place in the API. An empty group is the core group.
struct ResourceType {
  std::string group;
  std::string version;
  std::string plural;

  bool operator==(const ResourceType&) const = default;
};

[[nodiscard]] const ResourceType& scaled_caches();  // scaledcache.io/v1alpha1
[[nodiscard]] const ResourceType& deployments();    // apps/v1
[[nodiscard]] const ResourceType& pods();           // v1
[[nodiscard]] const ResourceType& events();         // events.k8s.io/v1
[[nodiscard]] const ResourceType& leases();         // coordination.k8s.io/v1

// "/apis/apps/v1", or "/api/v1" for the core group: also where discovery reads.
[[nodiscard]] std::string version_path(std::string_view group, std::string_view version);

// "/apis/apps/v1/namespaces/shop/deployments"; of all namespaces when `name_space` is empty.
[[nodiscard]] std::string collection_path(const ResourceType& type, std::string_view name_space);

[[nodiscard]] std::string object_path(const ResourceType& type,
                                      std::string_view name_space,
                                      std::string_view name);

// `object_path(…)` + "/scale" or "/status".
[[nodiscard]] std::string scale_path(const ResourceType& type,
                                     std::string_view name_space,
                                     std::string_view name);
[[nodiscard]] std::string status_path(const ResourceType& type,
                                      std::string_view name_space,
                                      std::string_view name);

using Query = std::vector<std::pair<std::string, std::string>>;

// Appends "?key=value&…", values percent-encoded; pairs with an empty value are left out. A path
// that has a query already is continued.
[[nodiscard]] std::string with_query(std::string path, const Query& query);

// Everything but letters, digits, '-', '.', '_' and '~' as %XX; a segment of dots alone too.
[[nodiscard]] std::string percent_encode(std::string_view text);

}  // namespace scaledcache::k8s
