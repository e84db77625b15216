#include "http/trust_store.h"

#include <sys/stat.h>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include "http/address.h"

namespace scaledcache::http {

Result<void> verify_peer(ssl_ctx_st& context, x509_store_st& store, const std::string& host) {
  SSL_CTX_set1_cert_store(&context, &store);
  SSL_CTX_set_verify(&context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_mode(&context, SSL_MODE_RELEASE_BUFFERS);
  X509_VERIFY_PARAM* rules = SSL_CTX_get0_param(&context);
  // An intermediate authority in the file is trusted as it stands.
  X509_VERIFY_PARAM_set_flags(rules, X509_V_FLAG_PARTIAL_CHAIN);
  X509_VERIFY_PARAM_set_hostflags(
      rules, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  const int named = parse_address(host)
                        ? X509_VERIFY_PARAM_set1_ip_asc(rules, host.c_str())
                        : X509_VERIFY_PARAM_set1_host(rules, host.data(), host.size());
  if (named != 1) {
    return Error{ErrorCode::Unavailable, "the name to verify cannot be set"};
  }
  return {};
}

TrustStore::FileVersion TrustStore::version_of(const std::string& file) {
  struct stat found {};

  if (::stat(file.c_str(), &found) != 0) {
    return {};
  }
  constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
  return {found.st_mtim.tv_sec * kNanosecondsPerSecond + found.st_mtim.tv_nsec, found.st_size,
          found.st_ino};
}

TrustStore::Store TrustStore::load(const std::string& file) {
  Store store(X509_STORE_new(), X509_STORE_free);
  const bool loaded = store && X509_STORE_load_locations(store.get(), file.c_str(), nullptr) == 1;
  ERR_clear_error();
  return loaded ? store : nullptr;
}

TrustStore::Store TrustStore::current() {
  const FileVersion version = version_of(ca_file_);
  {
    MutexLock lock(mutex_);
    if (store_ && version_ == version) {
      return store_;
    }
  }
  Store fresh = load(ca_file_);
  MutexLock lock(mutex_);
  if (fresh) {
    store_ = std::move(fresh);
    version_ = version;
  }
  return store_;
}

Result<void> TrustStore::apply(ssl_ctx_st& context, const std::string& host) {
  const Store store = current();
  if (!store) {
    return Error{ErrorCode::Unavailable, "the CA file " + ca_file_ + " cannot be read"};
  }
  return verify_peer(context, *store, host);
}

}  // namespace scaledcache::http
