#include "k8s/object_meta.h"

#include "base/rfc3339.h"

namespace scaledcache::k8s {
namespace {

constexpr std::string_view kOwnAnnotations = "scaledcache.io/";

std::map<std::string, std::string> own_annotations(const Json& metadata) {
  std::map<std::string, std::string> kept;
  const Json* annotations = find_member(metadata, "annotations");
  if (annotations == nullptr || !annotations->is_object()) {
    return kept;
  }
  for (const auto& [name, value] : annotations->items()) {
    if (name.starts_with(kOwnAnnotations) && value.is_string()) {
      kept.emplace(name, value.get<std::string>());
    }
  }
  return kept;
}

}  // namespace

std::optional<WallTime> time_member(const Json& object, std::string_view key) {
  return parse_time(string_member(object, key));
}

std::string_view group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

Result<ObjectMeta> decode_meta(const Json& object) {
  const Json* metadata = find_member(object, "metadata");
  if (metadata == nullptr || !metadata->is_object()) {
    return Error{ErrorCode::Protocol, "an object without metadata"};
  }
  ObjectMeta meta;
  meta.name = string_member(*metadata, "name");
  meta.name_space = string_member(*metadata, "namespace");
  meta.uid = string_member(*metadata, "uid");
  if (meta.name.empty() || meta.uid.empty()) {
    return Error{ErrorCode::Protocol, "an object without metadata.name or metadata.uid"};
  }
  meta.resource_version = string_member(*metadata, "resourceVersion");
  meta.generation = integer_member(*metadata, "generation", 0);
  meta.created = time_member(*metadata, "creationTimestamp");
  meta.deleting = !string_member(*metadata, "deletionTimestamp").empty();
  meta.annotations = own_annotations(*metadata);
  return meta;
}

std::optional<OwnerRef> decode_controller(const Json& object) {
  const Json* metadata = find_member(object, "metadata");
  const Json* owners = metadata == nullptr ? nullptr : find_member(*metadata, "ownerReferences");
  if (owners == nullptr || !owners->is_array()) {
    return std::nullopt;
  }
  for (const Json& owner : *owners) {
    const Json* controls = find_member(owner, "controller");
    if (controls != nullptr && controls->is_boolean() && controls->get<bool>()) {
      return OwnerRef{string_member(owner, "apiVersion"), string_member(owner, "kind"),
                      string_member(owner, "name"), string_member(owner, "uid")};
    }
  }
  return std::nullopt;
}

}  // namespace scaledcache::k8s
