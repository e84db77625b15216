// Secrets, ConfigMaps and service accounts that a backend is asked with: read by their names when
// they are used, and given out only for the backend that they themselves allow.
#pragma once

#include <map>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/secret.h"
#include "k8s/kube_client.h"
#include "k8s/spec.h"

namespace scaledcache::controller {

// On a Secret or ServiceAccount: a comma list of origins, as in "https://vm.example:8427".
inline constexpr const char* kAllowedOrigins = "scaledcache.io/allowed-origins";

// Whether `url` has one of the origins of `list`: the same scheme, host and port, where a port that
// is not written is the scheme's own.
[[nodiscard]] bool origin_is_allowed(const std::string& list, const std::string& url);

// Whose objects are wanted, and for which backend.
struct AccessPlace {
  const std::string& name_space;
  const std::string& url;  // of the backend
  // Objects and URL were named in one place by the admin: that is the permission.
  bool by_admin = false;
};

// A Secret that may be used.
struct GrantedSecret {
  std::string what;  // "Secret shop/vm"
  Json object;

  // NotFound where there is nothing under `key`.
  [[nodiscard]] Result<Secret<std::string>> value(const std::string& key) const;
};

// Thread safe. Objects are kept for a minute. NotFound: there is none. Forbidden: it does not allow
// this backend, or we may not read it. Otherwise the errors of KubeClient. Each message names the
// object, none holds anything of it.
class GrantedObjects {
 public:
  // Both outlive it.
  GrantedObjects(k8s::KubeClient& client, Clock& clock) : client_(client), clock_(clock) {}

  [[nodiscard]] Result<GrantedSecret> secret(const AccessPlace& place,
                                             const std::string& name,
                                             const std::stop_token& stop);

  // NotFound also where the key is missing. A ConfigMap is no secret: it need not allow anything.
  [[nodiscard]] Result<std::string> text_of_config_map(const AccessPlace& place,
                                                       const k8s::KeyRef& ref,
                                                       const std::stop_token& stop);

  // The path of a service account that allows the backend.
  [[nodiscard]] Result<std::string> account_path(const AccessPlace& place,
                                                 const std::string& name,
                                                 const std::stop_token& stop);

 private:
  struct Kept {
    Json object;
    SteadyTime read;
  };

  [[nodiscard]] Result<Json> read(const std::string& path,
                                  const std::string& what,
                                  const std::stop_token& stop) EXCLUDES(mutex_);

  k8s::KubeClient& client_;
  Clock& clock_;
  Mutex mutex_;
  std::map<std::string, Kept> kept_ GUARDED_BY(mutex_);  // by path
};

}  // namespace scaledcache::controller
