#include "k8s/discovery.h"

#include <set>
#include <utility>

namespace scaledcache::k8s {
namespace {

bool is_namespaced(const Json& resource) {
  const Json* member = find_member(resource, "namespaced");
  return member != nullptr && member->is_boolean() && member->get<bool>();
}

// Says of each kind whether it is among `plurals`, and to each which kinds are.
void mark_scalable(std::map<std::string, KindInfo>& kinds, const std::set<std::string>& plurals) {
  std::vector<std::string> scalable;
  for (auto& [kind, info] : kinds) {
    info.has_scale = plurals.count(info.type.plural) > 0;
    if (info.has_scale) {
      scalable.push_back(kind);
    }
  }
  for (auto& [kind, info] : kinds) {
    info.scalable_kinds = scalable;
  }
}

// The kinds of one APIResourceList by name. Subresources stand beside them as "plural/scale".
std::map<std::string, KindInfo> decode_kinds(const ResourceType& version, const Json& list) {
  std::map<std::string, KindInfo> kinds;
  std::set<std::string> with_scale;
  const Json* resources = find_member(list, "resources");
  if (resources == nullptr || !resources->is_array()) {
    return kinds;
  }
  for (const Json& resource : *resources) {
    const std::string name = string_member(resource, "name");
    const std::size_t slash = name.find('/');
    if (slash == std::string::npos) {
      KindInfo info;
      info.type = {version.group, version.version, name};
      info.namespaced = is_namespaced(resource);
      kinds.emplace(string_member(resource, "kind"), std::move(info));
    } else if (name.substr(slash) == "/scale") {
      with_scale.insert(name.substr(0, slash));
    }
  }
  mark_scalable(kinds, with_scale);
  return kinds;
}

}  // namespace

Result<ResourceType> parse_api_version(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  const bool is_core = slash == std::string_view::npos;
  ResourceType type;
  type.group = is_core ? "" : std::string(api_version.substr(0, slash));
  type.version = std::string(is_core ? api_version : api_version.substr(slash + 1));
  if (type.version.empty() || type.version.find('/') != std::string::npos ||
      (!is_core && type.group.empty())) {
    return Error{ErrorCode::Invalid,
                 "apiVersion is \"" + printable(api_version) + "\", must be group/version or v1"};
  }
  return type;
}

Result<KindInfo> Discovery::find(const std::string& api_version,
                                 const std::string& kind,
                                 const std::stop_token& stop) {
  const SteadyTime now = clock_.steady();
  {
    MutexLock lock(mutex_);
    const auto known = known_.find(api_version);
    if (known != known_.end() && now - known->second.read < kDiscoveryLife) {
      const auto found = known->second.kinds.find(kind);
      if (found != known->second.kinds.end()) {
        return found->second;
      }
    }
  }
  auto kinds = read_kinds(api_version, stop);
  if (!kinds) {
    return kinds.error();
  }
  const auto found = kinds->find(kind);
  if (found == kinds->end()) {
    return Error{ErrorCode::NotFound, printable(api_version) + " has no kind " + printable(kind)};
  }
  KindInfo info = found->second;
  MutexLock lock(mutex_);
  known_[api_version] = Known{std::move(*kinds), now};
  return info;
}

void Discovery::forget(const std::string& api_version) {
  MutexLock lock(mutex_);
  known_.erase(api_version);
}

Result<std::map<std::string, KindInfo>> Discovery::read_kinds(const std::string& api_version,
                                                              const std::stop_token& stop) {
  const auto version = parse_api_version(api_version);
  if (!version) {
    return version.error();
  }
  const auto list = client_.get(version_path(version->group, version->version), stop);
  if (!list) {
    return list.error();
  }
  return decode_kinds(*version, *list);
}

}  // namespace scaledcache::k8s
