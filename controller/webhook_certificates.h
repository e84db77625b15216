// Where the webhook's certificate comes from: our own authority, kept in one Secret and published
// in the webhook configuration, or files that somebody else makes. Reads anew at each call, so that
// every replica shows what the Secret holds; who leads also writes.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "controller/log.h"
#include "controller/webhook_secret.h"
#include "http/certificate.h"
#include "k8s/files.h"
#include "k8s/kube_client.h"

namespace scaledcache::controller {

// Gives the identity to show now; nothing while there is none yet. Called by one thread, again and
// again; errors are those of KubeClient or of reading files.
using IdentitySource =
    std::function<Result<std::optional<http::PemIdentity>>(const std::stop_token& stop)>;

// tls.crt and tls.key of a directory, as cert-manager's CSI driver or a mounted Secret keeps them.
// Invalid while they do not belong together, as in the middle of an exchange.
[[nodiscard]] IdentitySource certificate_files(std::string directory,
                                               k8s::FileReader read = k8s::read_file);

struct WebhookNames {
  std::string secret;         // in the service's namespace
  std::string configuration;  // the MutatingWebhookConfiguration
  ServiceName service;
};

// For one thread.
class WebhookCertificates {
 public:
  // All references outlive it. `may_write` is true in the process that leads; each write asks the
  // client's write window besides.
  struct Parts {
    k8s::KubeClient& client;
    Clock& clock;
    const Log& log;
    std::function<bool()> may_write;
  };

  WebhookCertificates(Parts parts, WebhookNames names);

  // Reads the Secret, takes the steps that are due if it may, and gives the leaf that the Secret
  // holds then. A conflict with another writer is settled by reading again.
  [[nodiscard]] Result<std::optional<http::PemIdentity>> refresh(const std::stop_token& stop);

 private:
  struct State;

  [[nodiscard]] Result<State> read_state(const std::stop_token& stop);
  [[nodiscard]] Result<void> take(CertificateStep step,
                                  const State& state,
                                  const std::stop_token& stop);
  [[nodiscard]] Result<WebhookMaterial> after(CertificateStep step,
                                              const CertificateView& view) const;
  [[nodiscard]] Result<void> store(const State& state,
                                   const WebhookMaterial& next,
                                   const std::stop_token& stop);
  [[nodiscard]] Result<void> publish(const State& state, const std::stop_token& stop);

  const Parts parts_;
  const WebhookNames names_;
};

// The Secret as a source.
[[nodiscard]] IdentitySource certificate_secret(WebhookCertificates::Parts parts,
                                                WebhookNames names);

}  // namespace scaledcache::controller
