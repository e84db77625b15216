// What a resource shows its metrics backend to prove who asks, and whom it believes: tokens,
// passwords, certificates and authorities from objects of its own namespace. A Secret says itself
// where it may be sent, so that whoever may write a ScaledCache, but not read Secrets, gains
// nothing.
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/secret.h"
#include "controller/granted_objects.h"
#include "http/peer_tls.h"
#include "k8s/kube_client.h"
#include "k8s/spec.h"
#include "prom/backend.h"

namespace scaledcache::controller {

// Thread safe. Objects are kept for a minute, so what was rotated is used within one.
class BackendAccess {
 public:
  // Both outlive it.
  BackendAccess(k8s::KubeClient& client, Clock& clock)
      : client_(client), clock_(clock), objects_(client, clock) {}

  // The headers to add to each query. Tokens of service accounts are kept until a fifth of their
  // life is left. Invalid: plain http without allowInsecure. Otherwise the errors of
  // GrantedObjects. No message holds a secret.
  [[nodiscard]] Result<std::vector<prom::SecretHeader>> headers(const AccessPlace& place,
                                                                const k8s::AuthSpec& auth,
                                                                const std::stop_token& stop);

  // Whom to believe and which certificate to show. Invalid: plain http, or what an object holds is
  // no certificate or no key to it. Otherwise the errors of GrantedObjects. No message holds a
  // secret.
  [[nodiscard]] Result<std::shared_ptr<const http::PeerTls>> tls(const AccessPlace& place,
                                                                 const k8s::TlsSpec& spec,
                                                                 const std::stop_token& stop);

 private:
  struct Token {
    Secret<std::string> value;
    SteadyTime renew;
  };

  // The texts that a TlsSpec names, and where they came from.
  struct TlsTexts {
    http::PeerTls::Texts texts{};
    std::string ca{};      // "ConfigMap shop/ca"; "" without an authority of its own
    std::string client{};  // "Secret shop/client"; "" without a certificate
  };

  [[nodiscard]] Result<Secret<std::string>> header_value(const AccessPlace& place,
                                                         const k8s::KeyRef& ref,
                                                         const std::stop_token& stop);
  [[nodiscard]] Result<Secret<std::string>> service_token(
      const AccessPlace& place,
      const k8s::AuthSpec::ServiceAccount& account,
      const std::stop_token& stop) EXCLUDES(mutex_);
  [[nodiscard]] Result<TlsTexts> read_tls(const AccessPlace& place,
                                          const k8s::TlsSpec& spec,
                                          const std::stop_token& stop);

  k8s::KubeClient& client_;
  Clock& clock_;
  GrantedObjects objects_;
  Mutex mutex_;
  std::map<std::string, Token> tokens_ GUARDED_BY(mutex_);  // by namespace/name/audience
};

}  // namespace scaledcache::controller
