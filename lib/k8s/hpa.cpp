#include "k8s/hpa.h"

namespace scaledcache::k8s {

Result<Hpa> decode_hpa(const Json& object) {
  const auto meta = decode_meta(object);
  if (!meta) {
    return meta.error();
  }
  const Json* spec = find_member(object, "spec");
  const Json* target = spec == nullptr ? nullptr : find_member(*spec, "scaleTargetRef");
  if (target == nullptr || string_member(*target, "name").empty()) {
    return Error{ErrorCode::Protocol, "a HorizontalPodAutoscaler without spec.scaleTargetRef"};
  }
  return Hpa{meta->name, meta->uid, meta->resource_version,
             ObjectRef{string_member(*target, "apiVersion"), string_member(*target, "kind"),
                       meta->name_space, string_member(*target, "name"), ""}};
}

bool same_target(const ObjectRef& a, const ObjectRef& b) {
  return a.name == b.name && a.kind == b.kind && a.name_space == b.name_space &&
         group_of(a.api_version) == group_of(b.api_version);
}

}  // namespace scaledcache::k8s
