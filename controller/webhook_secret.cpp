#include "controller/webhook_secret.h"

#include <utility>

#include "base/rfc3339.h"
#include "k8s/base64.h"

namespace scaledcache::controller {
namespace {

constexpr const char* kPublishedAnnotation = "scaledcache.io/ca-published";
constexpr const char* kRetireAnnotation = "scaledcache.io/old-ca-retires";

const Json& member(const Json& object, std::string_view key) {
  static const Json nothing;
  const Json* found = find_member(object, key);
  return found == nullptr ? nothing : *found;
}

std::string decoded(const Json& object, std::string_view key) {
  return k8s::decode_base64(string_member(object, key)).value_or("");
}

Json optional_time(const std::optional<WallTime>& time) {
  return time ? Json(format_time(*time)) : Json();
}

Json optional_text(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

// Nothing is null, which deletes it in a merge patch.
Json data_of(const WebhookMaterial& material) {
  const auto encoded = [](const std::string& text) {
    return optional_text(k8s::encode_base64(text));
  };
  return {{"ca.crt", encoded(material.authority.certificate_pem)},
          {"ca.key", encoded(material.authority.key_pem.reveal())},
          {"tls.crt", encoded(material.leaf.certificate_pem)},
          {"tls.key", encoded(material.leaf.key_pem.reveal())},
          {"ca-old.crt", encoded(material.retiring_pem)}};
}

Json annotations_of(const WebhookMaterial& material) {
  return {{kPublishedAnnotation, optional_time(material.published)},
          {kRetireAnnotation, optional_time(material.retire_at)},
          {kRotateAnnotation, optional_text(material.rotate)}};
}

// For a new object, where null has no meaning.
Json without_nulls(const Json& object) {
  Json kept = Json::object();
  for (const auto& [key, value] : object.items()) {
    if (!value.is_null()) {
      kept[key] = value;
    }
  }
  return kept;
}

bool calls(const Json& webhook, const ServiceName& service) {
  const Json& called = member(member(webhook, "clientConfig"), "service");
  return string_member(called, "name") == service.name &&
         string_member(called, "namespace") == service.name_space;
}

}  // namespace

const k8s::ResourceType& secrets() {
  static const k8s::ResourceType type{"", "v1", "secrets"};
  return type;
}

const k8s::ResourceType& webhook_configurations() {
  static const k8s::ResourceType type{"admissionregistration.k8s.io", "v1",
                                      "mutatingwebhookconfigurations"};
  return type;
}

Result<StoredMaterial> decode_webhook_secret(const Json& object) {
  const Json& metadata = member(object, "metadata");
  StoredMaterial stored;
  stored.uid = string_member(metadata, "uid");
  stored.resource_version = string_member(metadata, "resourceVersion");
  if (stored.uid.empty() || stored.resource_version.empty()) {
    return Error{ErrorCode::Protocol, "a Secret without UID or resource version"};
  }
  const Json& data = member(object, "data");
  const Json& annotations = member(metadata, "annotations");
  WebhookMaterial& material = stored.material;
  material.authority = {decoded(data, "ca.crt"), Secret<std::string>(decoded(data, "ca.key"))};
  material.leaf = {decoded(data, "tls.crt"), Secret<std::string>(decoded(data, "tls.key"))};
  material.retiring_pem = decoded(data, "ca-old.crt");
  material.published = parse_time(string_member(annotations, kPublishedAnnotation));
  material.retire_at = parse_time(string_member(annotations, kRetireAnnotation));
  material.rotate = string_member(annotations, kRotateAnnotation);
  return stored;
}

std::string encode_webhook_secret(const std::string& name_space,
                                  const std::string& name,
                                  const WebhookMaterial& material) {
  return dump_json({{"apiVersion", "v1"},
                    {"kind", "Secret"},
                    {"type", "Opaque"},
                    {"metadata",
                     {{"namespace", name_space},
                      {"name", name},
                      {"labels", {{"app.kubernetes.io/name", "scaledcache"}}},
                      {"annotations", without_nulls(annotations_of(material))}}},
                    {"data", without_nulls(data_of(material))}});
}

k8s::Patch encode_secret_patch(const StoredMaterial& stored, const WebhookMaterial& next) {
  return {k8s::kMergePatch, dump_json({{"metadata",
                                        {{"uid", stored.uid},
                                         {"resourceVersion", stored.resource_version},
                                         {"annotations", annotations_of(next)}}},
                                       {"data", data_of(next)}})};
}

std::vector<std::string> WebhookConfiguration::pems() const {
  std::vector<std::string> texts;
  for (const Bundle& bundle : bundles) {
    texts.push_back(bundle.pem);
  }
  return texts;
}

Result<WebhookConfiguration> decode_webhook_configuration(const Json& object,
                                                          const ServiceName& service) {
  WebhookConfiguration configuration;
  configuration.resource_version = string_member(member(object, "metadata"), "resourceVersion");
  if (configuration.resource_version.empty()) {
    return Error{ErrorCode::Protocol, "a webhook configuration without a resource version"};
  }
  const Json& webhooks = member(object, "webhooks");
  for (std::size_t index = 0; webhooks.is_array() && index < webhooks.size(); ++index) {
    if (calls(webhooks[index], service)) {
      configuration.bundles.push_back(
          {index, decoded(member(webhooks[index], "clientConfig"), "caBundle")});
    }
  }
  return configuration;
}

k8s::Patch encode_bundle_patch(const WebhookConfiguration& configuration,
                               const std::string& bundle_pem) {
  Json patch = Json::array({{{"op", "test"},
                             {"path", "/metadata/resourceVersion"},
                             {"value", configuration.resource_version}}});
  for (const WebhookConfiguration::Bundle& bundle : configuration.bundles) {
    patch.push_back(
        {{"op", "add"},
         {"path", "/webhooks/" + std::to_string(bundle.index) + "/clientConfig/caBundle"},
         {"value", k8s::encode_base64(bundle_pem)}});
  }
  return {k8s::kJsonPatch, dump_json(patch)};
}

}  // namespace scaledcache::controller
