#include "controller/webhook_certificates.h"

#include <memory>
#include <utility>

#include "base/rfc3339.h"

namespace scaledcache::controller {
namespace {

constexpr const char* kWebhookManager = "scaledcache-webhook";
constexpr int kMaxSteps = 12;  // a whole rotation has five; conflicts repeat some

const char* message_of(CertificateStep step) {
  switch (step) {
    case CertificateStep::MakeAuthority:
      return "webhook: made a new certificate authority";
    case CertificateStep::Publish:
      return "webhook: published the certificate authorities";
    case CertificateStep::IssueLeaf:
      return "webhook: issued a new certificate";
    case CertificateStep::DropRetired:
      return "webhook: the old certificate authorities have retired";
    default:
      return "";
  }
}

}  // namespace

IdentitySource certificate_files(std::string directory, k8s::FileReader read) {
  return [directory = std::move(directory), read = std::move(read)](
             const std::stop_token& /*stop*/) -> Result<std::optional<http::PemIdentity>> {
    const auto certificate = read(directory + "/tls.crt");
    if (!certificate) {
      return certificate.error();
    }
    const auto key = read(directory + "/tls.key");
    if (!key) {
      return key.error();
    }
    http::PemIdentity identity{*certificate, Secret<std::string>(*key)};
    if (!http::is_usable(identity)) {
      return Error{ErrorCode::Invalid,
                   "tls.crt and tls.key of " + directory + " cannot be used together"};
    }
    return std::optional(std::move(identity));
  };
}

struct WebhookCertificates::State {
  std::optional<StoredMaterial> secret;
  WebhookMaterial material;                           // empty when there is no Secret
  std::optional<WebhookConfiguration> configuration;  // read only where it matters
  std::vector<std::string> bundles;
};

WebhookCertificates::WebhookCertificates(Parts parts, WebhookNames names)
    : parts_(std::move(parts)), names_(std::move(names)) {}

Result<std::optional<http::PemIdentity>> WebhookCertificates::refresh(const std::stop_token& stop) {
  for (int steps = 0;; ++steps) {
    const auto state = read_state(stop);
    if (!state) {
      return state.error();
    }
    const CertificateView view{state->material, state->bundles, names_.service.dns_name(),
                               parts_.clock.wall()};
    const CertificateStep step = parts_.may_write() ? next_step(view) : CertificateStep::None;
    if (step == CertificateStep::None || step == CertificateStep::Wait || steps == kMaxSteps) {
      return leaf_is_good(view) ? std::optional(state->material.leaf) : std::nullopt;
    }
    const auto taken = take(step, *state, stop);
    if (!taken && taken.error().code != ErrorCode::Conflict) {
      return taken.error();
    }
    if (taken && *message_of(step) != '\0') {
      parts_.log.info(message_of(step));
    }
  }
}

Result<WebhookCertificates::State> WebhookCertificates::read_state(const std::stop_token& stop) {
  State state;
  const auto secret = parts_.client.get(
      k8s::object_path(secrets(), names_.service.name_space, names_.secret), stop);
  if (!secret && secret.error().code != ErrorCode::NotFound) {
    return secret.error();
  }
  if (secret) {
    auto stored = decode_webhook_secret(*secret);
    if (!stored) {
      return stored.error();
    }
    state.secret = *stored;
    state.material = std::move(stored->material);
  }
  if (!parts_.may_write()) {
    return state;
  }
  const auto configuration =
      parts_.client.get(k8s::object_path(webhook_configurations(), "", names_.configuration), stop);
  if (!configuration) {
    return configuration.error().code == ErrorCode::NotFound ? Result<State>(std::move(state))
                                                             : configuration.error();
  }
  auto decoded = decode_webhook_configuration(*configuration, names_.service);
  if (!decoded) {
    return decoded.error();
  }
  state.bundles = decoded->pems();
  state.configuration = *std::move(decoded);
  return state;
}

Result<void> WebhookCertificates::take(CertificateStep step,
                                       const State& state,
                                       const std::stop_token& stop) {
  if (step == CertificateStep::Publish) {
    return publish(state, stop);
  }
  const auto next =
      after(step, {state.material, state.bundles, names_.service.dns_name(), parts_.clock.wall()});
  return next ? store(state, *next, stop) : Result<void>(next.error());
}

Result<WebhookMaterial> WebhookCertificates::after(CertificateStep step,
                                                   const CertificateView& view) const {
  if (step == CertificateStep::MakeAuthority) {
    auto authority = http::make_authority("scaledcache webhook CA " + format_time(view.now),
                                          {view.now, kAuthorityLife});
    return authority ? Result<WebhookMaterial>(with_authority(view, *std::move(authority)))
                     : authority.error();
  }
  if (step == CertificateStep::IssueLeaf) {
    const ServiceName& service = names_.service;
    auto leaf = http::make_leaf(view.material.authority,
                                {service.dns_name(), service.name + "." + service.name_space},
                                {view.now, kLeafLife});
    return leaf ? Result<WebhookMaterial>(with_leaf(view.material, *std::move(leaf)))
                : leaf.error();
  }
  if (step == CertificateStep::DropRetired) {
    return without_retired(view.material);
  }
  WebhookMaterial next = view.material;
  next.published = view.now;
  return next;
}

Result<void> WebhookCertificates::store(const State& state,
                                        const WebhookMaterial& next,
                                        const std::stop_token& stop) {
  const std::string& name_space = names_.service.name_space;
  const auto answer =
      state.secret
          ? parts_.client.patch({k8s::object_path(secrets(), name_space, names_.secret),
                                 encode_secret_patch(*state.secret, next), kWebhookManager},
                                stop)
          : parts_.client.post(
                {k8s::collection_path(secrets(), name_space),
                 encode_webhook_secret(name_space, names_.secret, next), kWebhookManager},
                stop);
  return answer ? Result<void>() : answer.error();
}

Result<void> WebhookCertificates::publish(const State& state, const std::stop_token& stop) {
  const auto answer =
      parts_.client.patch({k8s::object_path(webhook_configurations(), "", names_.configuration),
                           encode_bundle_patch(*state.configuration, wanted_bundle(state.material)),
                           kWebhookManager, k8s::Unprocessable::Conflict},
                          stop);
  return answer ? Result<void>() : answer.error();
}

IdentitySource certificate_secret(WebhookCertificates::Parts parts, WebhookNames names) {
  const auto certificates =
      std::make_shared<WebhookCertificates>(std::move(parts), std::move(names));
  return [certificates](const std::stop_token& stop) { return certificates->refresh(stop); };
}

}  // namespace scaledcache::controller
