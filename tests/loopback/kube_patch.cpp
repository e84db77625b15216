#include "loopback/kube_patch.h"

#include <algorithm>

namespace scaledcache::loopback {
namespace {

constexpr const char* kRequestError =
    "the server rejected our request due to an error in our request";

KubeAnswer moved(const Json& object, const std::string& why) {
  return refusal(409, "Operation cannot be fulfilled on \"" +
                          object["metadata"]["name"].get<std::string>() + "\": " + why);
}

// What the media type makes of `before`; a refusal where it cannot be applied.
KubeAnswer apply_patch(const Json& before, const PatchCall& call) {
  Json patch = Json::parse(call.body, nullptr, false);
  if (patch.is_discarded()) {
    return refusal(400, "error decoding patch");
  }
  if (patch.is_array()) {
    for (Json& operation : patch) {  // the real one lets `replace` make what is missing
      operation["op"] = operation["op"] == "replace" ? "add" : operation["op"];
    }
  }
  if (call.media_type == "application/merge-patch+json") {
    Json after = before;
    after.merge_patch(patch);
    return {200, std::move(after)};
  }
  if (call.media_type != "application/json-patch+json") {
    return refusal(415, "the body of the request was in an unknown format");
  }
  try {
    return {200, before.patch(patch)};
  } catch (const Json::exception&) {
    return refusal(422, kRequestError);
  }
}

// A resource version in a patched body is a precondition.
KubeAnswer check_version(const Json& before, const Json& after) {
  const Json meta = after.value("metadata", Json::object());
  if (meta.value("resourceVersion", Json()) != before["metadata"]["resourceVersion"]) {
    return moved(before,
                 "the object has been modified; please apply your changes to the latest version "
                 "and try again");
  }
  return {200, after};
}

// Strategic merge, as far as pods have it: conditions are one list per type, the rest is a merge.
Json merge_strategically(Json object, Json patch) {
  const Json::json_pointer at("/status/conditions");
  Json conditions = object.value(at, Json::array());
  for (const Json& wanted : patch.value(at, Json::array())) {
    const auto same = [&](const Json& one) { return one["type"] == wanted["type"]; };
    const auto found = std::find_if(conditions.begin(), conditions.end(), same);
    if (found == conditions.end()) {
      conditions.push_back(wanted);
    } else {
      found->merge_patch(wanted);
    }
  }
  if (patch.contains("status")) {
    patch["status"].erase("conditions");
  }
  object.merge_patch(patch);
  object["status"]["conditions"] = std::move(conditions);
  return object;
}

KubeAnswer apply_to_pod(const Json& pod, const PatchCall& call) {
  KubeAnswer patched{200, pod};
  if (call.media_type == "application/strategic-merge-patch+json") {
    Json patch = Json::parse(call.body, nullptr, false);
    if (!patch.is_object()) {
      return refusal(400, "error decoding patch");
    }
    patched.body = merge_strategically(pod, std::move(patch));
  } else {
    patched = apply_patch(pod, call);
  }
  if (!patched.refused() && patched.body["metadata"]["uid"] != pod["metadata"]["uid"]) {
    return moved(pod, "Precondition failed: UID in precondition differs from UID in object meta");
  }
  return patched.refused() ? patched : check_version(pod, patched.body);
}

bool is_count(const Json& value) {
  return value.is_number_integer() && value.get<std::int64_t>() >= 0 &&
         value.get<std::int64_t>() <= 2147483647;
}

}  // namespace

Json scale_of(const Json& object) {
  const Json& meta = object["metadata"];
  Json scale{{"kind", "Scale"},
             {"apiVersion", "autoscaling/v1"},
             {"metadata",
              {{"name", meta["name"]},
               {"namespace", meta["namespace"]},
               {"uid", meta["uid"]},
               {"resourceVersion", meta["resourceVersion"]},
               {"creationTimestamp", meta["creationTimestamp"]}}},
             {"spec", Json::object()},
             {"status", {{"replicas", object.value("/status/replicas"_json_pointer, 0)}}}};
  if (const int replicas = object.value("/spec/replicas"_json_pointer, 1); replicas > 0) {
    scale["spec"]["replicas"] = replicas;
  }
  std::string selector;
  const Json labels = object.value("/spec/selector/matchLabels"_json_pointer, Json::object());
  for (const auto& [name, value] : labels.items()) {
    selector += (selector.empty() ? "" : ",") + name + "=" + value.get<std::string>();
  }
  scale["status"]["selector"] = selector;
  return scale;
}

KubeAnswer patch_scale(const Json& object, const PatchCall& call) {
  const Json before = scale_of(object);
  KubeAnswer patched = apply_patch(before, call);
  if (!patched.refused()) {
    patched = check_version(before, patched.body);
  }
  if (patched.refused()) {
    return patched;
  }
  if (patched.body["metadata"].value("uid", Json()) != before["metadata"]["uid"]) {
    return moved(before,
                 "Precondition failed: UID in precondition differs from UID in object meta");
  }
  const Json replicas = patched.body.value("/spec/replicas"_json_pointer, Json(0));
  if (!is_count(replicas)) {
    return refusal(422, "spec.replicas: Invalid value: must be greater than or equal to 0");
  }
  return {200, with_replicas(object, replicas.get<int>(), call.field_manager)};
}

KubeAnswer patch_status(const Json& object, const PatchCall& call) {
  KubeAnswer patched = apply_patch(object, call);
  if (!patched.refused()) {
    patched = check_version(object, patched.body);
  }
  if (patched.refused()) {
    return patched;
  }
  Json next = object;
  next["status"] = patched.body.value("status", Json::object());
  return {200, std::move(next)};
}

KubeAnswer patch_pod_status(const Json& pod, const PatchCall& call) {
  KubeAnswer patched = apply_to_pod(pod, call);
  if (patched.refused()) {
    return patched;
  }
  Json next = pod;
  next["status"] = patched.body.value("status", Json::object());
  return {200, std::move(next)};
}

KubeAnswer patch_pod(const Json& pod, const PatchCall& call) {
  KubeAnswer patched = apply_to_pod(pod, call);
  if (patched.refused()) {
    return patched;
  }
  if (patched.body["spec"] != pod["spec"]) {
    return refusal(422, "pod updates may not change fields of its spec");
  }
  Json next = pod;
  next["metadata"] = patched.body["metadata"];
  return {200, std::move(next)};
}

Json with_replicas(Json object, int replicas, const std::string& manager) {
  const int before = object["spec"].value("replicas", 1);
  if (before == replicas) {
    return object;
  }
  object["spec"]["replicas"] = replicas;
  Json& owners = object["metadata"]["managedFields"];
  owners = Json::array();
  if (before > 0 && replicas > 0) {
    owners.push_back({{"manager", manager},
                      {"operation", "Update"},
                      {"apiVersion", object["apiVersion"]},
                      {"fieldsType", "FieldsV1"},
                      {"fieldsV1", {{"f:spec", {{"f:replicas", Json::object()}}}}},
                      {"subresource", "scale"}});
  }
  return object;
}

}  // namespace scaledcache::loopback
