// The identity we show the API server, kept fresh: tokens and certificates are files that others
// rotate, and a process that reads them once stops working within the hour.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/secret.h"
#include "http/tls.h"
#include "k8s/files.h"
#include "k8s/kubeconfig.h"

namespace scaledcache::k8s {

inline constexpr std::chrono::milliseconds kTokenLife{60'000};
inline constexpr std::chrono::milliseconds kTlsReloadPeriod{300'000};

// Thread safe; files are read outside the lock.
class Credentials {
 public:
  Credentials(ClusterConfig config, Clock& clock, FileReader read = read_file);

  // The value of the Authorization header, empty when there is no token. A token file is read at
  // most once a minute; when it cannot be read or is empty, the last good token stays.
  [[nodiscard]] Secret<std::string> authorization() EXCLUDES(mutex_);

  // After a 401: the next authorization() reads the file again.
  void drop_token() EXCLUDES(mutex_);

  [[nodiscard]] http::ClientTlsOptions tls() const EXCLUDES(mutex_);

  // Reads CA, client certificate and key again, at most every five minutes; true when they changed,
  // so that the owner hands tls() to its transports, which judge whether the texts can be used. A
  // file that cannot be read leaves everything as it was.
  [[nodiscard]] bool reload_tls() EXCLUDES(mutex_);

 private:
  const ClusterConfig config_;
  Clock& clock_;
  const FileReader read_;
  mutable Mutex mutex_;
  Secret<std::string> token_ GUARDED_BY(mutex_);
  std::optional<SteadyTime> token_read_ GUARDED_BY(mutex_);
  http::ClientTlsOptions tls_ GUARDED_BY(mutex_);
  SteadyTime tls_read_ GUARDED_BY(mutex_);
};

}  // namespace scaledcache::k8s
