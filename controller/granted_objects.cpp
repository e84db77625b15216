#include "controller/granted_objects.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "http/ascii.h"
#include "http/url.h"
#include "k8s/base64.h"
#include "k8s/object_meta.h"
#include "k8s/paths.h"

namespace scaledcache::controller {
namespace {

constexpr Milliseconds kKeptFor{60'000};

const k8s::ResourceType& secret_type() {
  static const k8s::ResourceType type{"", "v1", "secrets"};
  return type;
}

const k8s::ResourceType& config_map_type() {
  static const k8s::ResourceType type{"", "v1", "configmaps"};
  return type;
}

const k8s::ResourceType& account_type() {
  static const k8s::ResourceType type{"", "v1", "serviceaccounts"};
  return type;
}

std::string annotation(const Json& object, std::string_view key) {
  const Json* metadata = find_member(object, "metadata");
  const Json* annotations = metadata == nullptr ? nullptr : find_member(*metadata, "annotations");
  return annotations == nullptr ? std::string() : string_member(*annotations, key);
}

Result<void> check_origin(const Json& object, const std::string& what, const AccessPlace& place) {
  if (place.by_admin || origin_is_allowed(annotation(object, kAllowedOrigins), place.url)) {
    return {};
  }
  return Error{ErrorCode::Forbidden, what + " does not allow to be sent to the backend: its " +
                                         "annotation " + kAllowedOrigins +
                                         " must list the backend's scheme, host and port"};
}

Error nothing_under(const std::string& what, const std::string& key) {
  return Error{ErrorCode::NotFound, what + " has nothing under the key " + key};
}

}  // namespace

bool origin_is_allowed(const std::string& list, const std::string& url) {
  const auto wanted = http::parse_url(url);
  if (!wanted) {
    return false;
  }
  std::string_view rest = list;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const auto allowed = http::parse_url(std::string(http::trim_blanks(rest.substr(0, end))));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (allowed && allowed->origin() == wanted->origin()) {
      return true;
    }
  }
  return false;
}

Result<Secret<std::string>> GrantedSecret::value(const std::string& key) const {
  const Json* data = find_member(object, "data");
  auto decoded = data == nullptr ? std::nullopt : k8s::decode_base64(string_member(*data, key));
  if (!decoded || decoded->empty()) {
    return nothing_under(what, key);
  }
  return Secret<std::string>(*std::move(decoded));
}

Result<GrantedSecret> GrantedObjects::secret(const AccessPlace& place,
                                             const std::string& name,
                                             const std::stop_token& stop) {
  const std::string what = "Secret " + place.name_space + "/" + name;
  auto found = read(k8s::object_path(secret_type(), place.name_space, name), what, stop);
  if (!found) {
    return found.error();
  }
  if (const auto allowed = check_origin(*found, what, place); !allowed) {
    return allowed.error();
  }
  return GrantedSecret{what, *std::move(found)};
}

Result<std::string> GrantedObjects::text_of_config_map(const AccessPlace& place,
                                                       const k8s::KeyRef& ref,
                                                       const std::stop_token& stop) {
  const std::string what = "ConfigMap " + place.name_space + "/" + ref.name;
  const auto found =
      read(k8s::object_path(config_map_type(), place.name_space, ref.name), what, stop);
  if (!found) {
    return found.error();
  }
  const Json* data = find_member(*found, "data");
  std::string text = data == nullptr ? std::string() : string_member(*data, ref.key);
  if (text.empty()) {
    return nothing_under(what, ref.key);
  }
  return text;
}

Result<std::string> GrantedObjects::account_path(const AccessPlace& place,
                                                 const std::string& name,
                                                 const std::stop_token& stop) {
  const std::string what = "ServiceAccount " + place.name_space + "/" + name;
  std::string path = k8s::object_path(account_type(), place.name_space, name);
  const auto found = read(path, what, stop);
  if (!found) {
    return found.error();
  }
  if (const auto allowed = check_origin(*found, what, place); !allowed) {
    return allowed.error();
  }
  return path;
}

Result<Json> GrantedObjects::read(const std::string& path,
                                  const std::string& what,
                                  const std::stop_token& stop) {
  const SteadyTime now = clock_.steady();
  {
    MutexLock lock(mutex_);
    const auto found = kept_.find(path);
    if (found != kept_.end() && now - found->second.read < kKeptFor) {
      return found->second.object;
    }
  }
  auto fresh = client_.get(path, stop);
  MutexLock lock(mutex_);
  std::erase_if(kept_, [&](const auto& entry) { return now - entry.second.read >= kKeptFor; });
  kept_.erase(path);
  if (!fresh) {
    Error error = fresh.error();
    error.message = what + ": " + error.message;
    return error;
  }
  kept_[path] = {*fresh, now};
  return fresh;
}

}  // namespace scaledcache::controller
