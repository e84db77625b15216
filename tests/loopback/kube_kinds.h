// The kinds that the fake API server serves, and which objects of one are meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace scaledcache::loopback {

// One kind that is served. `custom`: its items carry apiVersion and kind in lists too.
struct ServedKind {
  std::string group;
  std::string version;
  std::string plural;
  std::string kind;
  bool custom = false;
  bool has_scale = false;

  [[nodiscard]] std::string api_version() const {
    return group.empty() ? version : group + "/" + version;
  }
};

[[nodiscard]] const std::vector<ServedKind>& served_kinds();
[[nodiscard]] const ServedKind& kind_of(std::string_view plural);

// Which objects of a kind a list or watch asks for. Empty members select all.
struct Selection {
  std::string name_space;
  std::string label_selector;  // "a=b,c=d"
  std::string name;            // of a fieldSelector metadata.name

  [[nodiscard]] bool holds(const Json& object) const;
};

// "namespace/name".
[[nodiscard]] std::string key_of(const Json& object);

}  // namespace scaledcache::loopback
