// The two objects that the webhook's certificate lives in, as JSON: the Secret, and the caBundle of
// the MutatingWebhookConfiguration. Every write is a compare-and-set.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "controller/certificate_plan.h"
#include "k8s/patch.h"
#include "k8s/paths.h"

namespace scaledcache::controller {

[[nodiscard]] const k8s::ResourceType& secrets();
[[nodiscard]] const k8s::ResourceType& webhook_configurations();

// An annotation of the Secret by which a person asks for a rotation now: "ca" or "leaf".
inline constexpr const char* kRotateAnnotation = "scaledcache.io/rotate";

struct StoredMaterial {
  WebhookMaterial material;
  std::string uid;
  std::string resource_version;
};

// Protocol without UID or resource version; data that cannot be read is absent.
[[nodiscard]] Result<StoredMaterial> decode_webhook_secret(const Json& object);

// The body of a POST.
[[nodiscard]] std::string encode_webhook_secret(const std::string& name_space,
                                                const std::string& name,
                                                const WebhookMaterial& material);

// Turns what is stored into `next`, and only that: another version or UID is a 409.
[[nodiscard]] k8s::Patch encode_secret_patch(const StoredMaterial& stored,
                                             const WebhookMaterial& next);

struct WebhookConfiguration {
  struct Bundle {
    std::size_t index = 0;  // in `webhooks`
    std::string pem;        // "" when there is none or it cannot be read
  };

  std::string resource_version;
  std::vector<Bundle> bundles;  // of the webhooks that call our service

  [[nodiscard]] std::vector<std::string> pems() const;
};

struct ServiceName {
  std::string name_space;
  std::string name;

  // As the API server calls it.
  [[nodiscard]] std::string dns_name() const { return name + "." + name_space + ".svc"; }
};

[[nodiscard]] Result<WebhookConfiguration> decode_webhook_configuration(const Json& object,
                                                                        const ServiceName& service);

// Sets the caBundle of those webhooks; a `test` of the version makes another writer's change a 422.
[[nodiscard]] k8s::Patch encode_bundle_patch(const WebhookConfiguration& configuration,
                                             const std::string& bundle_pem);

}  // namespace scaledcache::controller
