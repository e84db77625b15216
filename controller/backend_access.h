// What a resource shows its metrics backend to prove who asks: tokens and passwords from Secrets of
// its own namespace. A Secret says itself where it may be sent, so that whoever may write a
// ScaledCache, but not read Secrets, gains nothing.
#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/secret.h"
#include "k8s/kube_client.h"
#include "k8s/spec.h"
#include "prom/backend.h"

namespace scaledcache::controller {

// On a Secret or ServiceAccount: a comma list of origins, as in "https://vm.example:8427".
inline constexpr const char* kAllowedOrigins = "scaledcache.io/allowed-origins";

// Whether `url` has one of the origins of `list`: the same scheme, host and port, where a port that
// is not written is the scheme's own.
[[nodiscard]] bool origin_is_allowed(const std::string& list, const std::string& url);

struct AccessQuestion {
  const std::string& name_space;
  const k8s::AuthSpec& auth;
  const std::string& url;  // of the backend
};

// Thread safe.
class BackendAccess {
 public:
  // Both outlive it.
  BackendAccess(k8s::KubeClient& client, Clock& clock) : client_(client), clock_(clock) {}

  // The headers to add to each query. Objects are read by their names and kept for a minute, tokens
  // of service accounts until a fifth of their life is left. NotFound: no such Secret or key.
  // Forbidden: the object does not allow this origin, or we may not read it. Invalid: plain http
  // without allowInsecure. Otherwise the errors of KubeClient. No message holds a secret.
  [[nodiscard]] Result<std::vector<prom::SecretHeader>> headers(const AccessQuestion& question,
                                                                const std::stop_token& stop);

 private:
  struct Kept {
    Json object;
    SteadyTime read;
  };

  struct Token {
    Secret<std::string> value;
    SteadyTime renew;
  };

  [[nodiscard]] Result<Json> object(const std::string& path, const std::stop_token& stop)
      EXCLUDES(mutex_);
  [[nodiscard]] Result<Secret<std::string>> key_of_secret(const AccessQuestion& question,
                                                          const k8s::KeyRef& ref,
                                                          const std::stop_token& stop);
  [[nodiscard]] Result<Secret<std::string>> service_token(const AccessQuestion& question,
                                                          const std::stop_token& stop)
      EXCLUDES(mutex_);
  [[nodiscard]] Result<void> check_origin(const Json& object,
                                          const std::string& what,
                                          const std::string& url) const;

  k8s::KubeClient& client_;
  Clock& clock_;
  Mutex mutex_;
  std::map<std::string, Kept> kept_ GUARDED_BY(mutex_);     // by path
  std::map<std::string, Token> tokens_ GUARDED_BY(mutex_);  // by namespace/name/audience
};

}  // namespace scaledcache::controller
