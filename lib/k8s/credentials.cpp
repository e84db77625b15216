#include "k8s/credentials.h"

#include <utility>

#include "k8s/identity_files.h"

namespace scaledcache::k8s {
namespace {

Secret<std::string> bearer(const Secret<std::string>& token) {
  return token.reveal().empty() ? Secret<std::string>() : Secret("Bearer " + token.reveal());
}

}  // namespace

Credentials::Credentials(ClusterConfig config, Clock& clock, FileReader read)
    : config_(std::move(config)),
      clock_(clock),
      read_(std::move(read)),
      token_(config_.token),
      tls_(config_.tls),
      tls_read_(clock.steady()) {}

Secret<std::string> Credentials::authorization() {
  const SteadyTime now = clock_.steady();
  {
    MutexLock lock(mutex_);
    if (config_.token_file.empty() || (token_read_ && now - *token_read_ < kTokenLife)) {
      return bearer(token_);
    }
    token_read_ = now;  // before the read: others go on with the old token meanwhile
  }
  const Result<std::string> content = read_(config_.token_file);
  const Result<Secret<std::string>> token =
      content ? decode_token(*content) : Result<Secret<std::string>>(content.error());
  MutexLock lock(mutex_);
  if (token) {
    token_ = *token;
  }
  return bearer(token_);
}

void Credentials::drop_token() {
  MutexLock lock(mutex_);
  token_read_.reset();
}

http::ClientTlsOptions Credentials::tls() const {
  MutexLock lock(mutex_);
  return tls_;
}

bool Credentials::reload_tls() {
  const SteadyTime now = clock_.steady();
  {
    MutexLock lock(mutex_);
    if (now - tls_read_ < kTlsReloadPeriod) {
      return false;
    }
    tls_read_ = now;
  }
  const auto fresh = read_tls(config_, read_);
  if (!fresh) {
    return false;
  }
  MutexLock lock(mutex_);
  return std::exchange(tls_, *fresh) != *fresh;
}

}  // namespace scaledcache::k8s
