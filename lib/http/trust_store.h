// Whom the operator believes when an untrusted peer shows a certificate: the authorities of one
// file, held once for all connections, and the rules for names.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "base/result.h"

struct ssl_ctx_st;
struct x509_store_st;

namespace scaledcache::http {

// Makes `context` verify that a peer's certificate is signed by an authority of `store` and is made
// out for `host` in its subjectAltName; a common name does not count. Unavailable when OpenSSL
// cannot take the name.
[[nodiscard]] Result<void> verify_peer(ssl_ctx_st& context,
                                       x509_store_st& store,
                                       const std::string& host);

// Thread safe.
class TrustStore {
 public:
  // Reads nothing yet: a process that never speaks TLS does not pay for the authorities (0.8 MiB
  // for those of Debian).
  explicit TrustStore(std::string ca_file) : ca_file_(std::move(ca_file)) {}

  // verify_peer() with the authorities of the file. It is read again when it has changed; while the
  // new one cannot be read the old one stays. Unavailable when there is none at all.
  [[nodiscard]] Result<void> apply(ssl_ctx_st& context, const std::string& host);

 private:
  struct FileVersion {
    std::int64_t modified_nanoseconds = 0;
    std::int64_t bytes = 0;
    std::uint64_t inode = 0;

    bool operator==(const FileVersion&) const = default;
  };

  // Shared with the connections that were made with it.
  using Store = std::shared_ptr<x509_store_st>;

  [[nodiscard]] static FileVersion version_of(const std::string& file);
  [[nodiscard]] static Store load(const std::string& file);
  [[nodiscard]] Store current();

  const std::string ca_file_;
  Mutex mutex_;
  FileVersion version_ GUARDED_BY(mutex_);
  Store store_ GUARDED_BY(mutex_);
};

}  // namespace scaledcache::http
