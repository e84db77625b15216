// Which resource a manifest means by apiVersion and kind, and whether it can be scaled.
#pragma once

#include <chrono>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "k8s/kube_client.h"
#include "k8s/paths.h"

namespace scaledcache::k8s {

inline constexpr std::chrono::milliseconds kDiscoveryLife{600'000};

struct KindInfo {
  ResourceType type;
  bool namespaced = false;
  bool has_scale = false;
  std::vector<std::string> scalable_kinds;  // of the same group and version, for the message
};

// Splits "apps/v1" or "v1". Invalid when it is neither.
[[nodiscard]] Result<ResourceType> parse_api_version(std::string_view api_version);

// Thread safe. What was found is asked for again after ten minutes.
class Discovery {
 public:
  Discovery(KubeClient& client, Clock& clock) : client_(client), clock_(clock) {}

  // NotFound when the group, version or kind is not served; then the next call asks again.
  // Invalid for an apiVersion that is none; otherwise the errors of KubeClient::get.
  Result<KindInfo> find(const std::string& api_version,
                        const std::string& kind,
                        const std::stop_token& stop = {}) EXCLUDES(mutex_);

  // After a 404 on the target's path: the next find() asks again.
  void forget(const std::string& api_version) EXCLUDES(mutex_);

 private:
  struct Known {
    std::map<std::string, KindInfo> kinds;
    SteadyTime read{};
  };

  Result<std::map<std::string, KindInfo>> read_kinds(const std::string& api_version,
                                                     const std::stop_token& stop);

  KubeClient& client_;
  Clock& clock_;
  Mutex mutex_;
  std::map<std::string, Known> known_ GUARDED_BY(mutex_);
};

}  // namespace scaledcache::k8s
