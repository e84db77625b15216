// Leases, Secrets and webhook configurations of the fake API server: objects that the operator
// creates, replaces and patches whole, each write guarded by what the caller knows of the object.
// And the tokens that it asks for.
#include "loopback/fake_api_server.h"

namespace scaledcache::loopback {
namespace {

constexpr const char* kConflict = "the object has been modified";

bool is_plain(std::string_view plural) {
  return plural == "leases" || plural == "secrets" || plural == "mutatingwebhookconfigurations";
}

// False where the caller names another version or UID than that of the stored object.
bool is_current(const Json& old, const Json& metadata) {
  for (const char* key : {"resourceVersion", "uid"}) {
    if (metadata.contains(key) && metadata[key] != old["metadata"][key]) {
      return false;
    }
  }
  return true;
}

KubeAnswer replaced(const Json& old, Json next) {
  const Json metadata = next.value("metadata", Json::object());
  if (!metadata.contains("resourceVersion")) {
    return refusal(422, "metadata.resourceVersion: must be specified for an update");
  }
  if (!is_current(old, metadata)) {
    return refusal(409, kConflict, "Conflict");
  }
  next["metadata"] = old["metadata"];
  return {200, std::move(next)};
}

KubeAnswer patched(const Json& old, const std::string& media_type, const Json& patch) {
  Json next = old;
  if (media_type == "application/json-patch+json") {
    try {
      next = old.patch(patch);
    } catch (const Json::exception& failure) {
      return refusal(422, failure.what());
    }
  } else if (media_type == "application/merge-patch+json") {
    if (!is_current(old, patch.value("metadata", Json::object()))) {
      return refusal(409, kConflict, "Conflict");
    }
    next.merge_patch(patch);
  } else {
    return refusal(415, "the media type is not supported");
  }
  return {200, std::move(next)};
}

}  // namespace

std::string service_token(const std::string& account) {
  return "made-for-" + account;
}

std::optional<KubeAnswer> FakeApiServer::write_plain(const HttpRequest& request,
                                                     const Route& route) {
  const std::string& plural = route.kind->plural;
  if (request.method == "POST" && plural == "serviceaccounts" && route.subresource == "token") {
    return KubeAnswer{201, {{"status", {{"token", service_token(route.name)}}}}};
  }
  Json body = Json::parse(request.body, nullptr, false);
  const bool is_cache = plural == "scaledcaches" && route.subresource.empty();
  if ((!is_plain(plural) && !is_cache) || !body.is_structured()) {
    return std::nullopt;
  }
  const std::string type = request.header("content-type");
  if (request.method == "POST" && route.name.empty()) {
    body["metadata"]["namespace"] = route.name_space;
    return objects_.create(plural, std::move(body));
  }
  if (request.method == "PUT") {
    return objects_.update(plural, route.key(),
                           [&](const Json& old) { return replaced(old, body); });
  }
  if (request.method == "PATCH") {
    return objects_.update(plural, route.key(), [&](const Json& old) {
      return patched(old, type.substr(0, type.find(';')), body);
    });
  }
  return std::nullopt;
}

}  // namespace scaledcache::loopback
