#include "k8s/scale.h"

#include "k8s/object_meta.h"
#include "k8s/replica_count.h"

namespace scaledcache::k8s {

Result<Scale> decode_scale(const Json& body) {
  const auto meta = decode_meta(body);
  if (!meta) {
    return meta.error();
  }
  Scale scale;
  scale.name = meta->name;
  scale.name_space = meta->name_space;
  scale.uid = meta->uid;
  scale.resource_version = meta->resource_version;
  const Json nothing = Json::object();
  const Json* spec = find_member(body, "spec");
  const Json* status = find_member(body, "status");
  const auto replicas = count_member(spec == nullptr ? nothing : *spec, "replicas", 0);
  const auto current = count_member(status == nullptr ? nothing : *status, "replicas", 0);
  if (!replicas || !current) {
    return Error{ErrorCode::Protocol, "a Scale whose replicas are no count"};
  }
  scale.replicas = *replicas;
  scale.current_replicas = *current;
  scale.selector = status == nullptr ? "" : string_member(*status, "selector");
  return scale;
}

Patch encode_scale_patch(const ScaleChange& change) {
  if (change.from == 0) {
    const Json merge = {
        {"metadata", {{"uid", change.uid}, {"resourceVersion", change.resource_version}}},
        {"spec", {{"replicas", change.to}}}};
    return Patch{kMergePatch, dump_json(merge)};
  }
  // `add` overwrites a member that exists, and works where it is missing.
  const Json operations = {{{"op", "test"}, {"path", "/metadata/uid"}, {"value", change.uid}},
                           {{"op", "test"}, {"path", "/spec/replicas"}, {"value", change.from}},
                           {{"op", "add"}, {"path", "/spec/replicas"}, {"value", change.to}}};
  return Patch{kJsonPatch, dump_json(operations)};
}

}  // namespace scaledcache::k8s
