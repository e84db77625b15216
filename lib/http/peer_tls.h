// What one peer is told apart by from all others over TLS: whom it is believed by, the name that it
// must prove, and the certificate that it is shown. Read once from PEM, shared by many requests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/secret.h"

struct evp_pkey_st;
struct ssl_ctx_st;
struct x509_st;
struct x509_store_st;

namespace scaledcache::http {

// Immutable, so thread safe.
class PeerTls {
 public:
  struct Texts {
    std::string ca_pem{};           // the only authorities; "": those of the transport
    std::string server_name{};      // that the peer must prove; "": the host of the URL
    std::string certificate_pem{};  // the client's chain, leaf first; "": none is shown
    Secret<std::string> key_pem{};  // its key, unencrypted
  };

  // Invalid, with a sentence that repeats nothing of the texts, when one is no PEM, when one of
  // certificate and key is missing, or when they do not belong together.
  [[nodiscard]] static Result<std::shared_ptr<const PeerTls>> create(const Texts& texts);

  [[nodiscard]] const std::string& server_name() const { return server_name_; }

  // The same for the same texts, different for all others; tells nothing of them.
  [[nodiscard]] const std::string& fingerprint() const { return fingerprint_; }

  // nullptr: those of the transport.
  [[nodiscard]] x509_store_st* authorities() const { return store_.get(); }

  // Gives a client's context certificate and key, where there are any. Unavailable when OpenSSL
  // does not take them.
  [[nodiscard]] Result<void> show_identity(ssl_ctx_st& context) const;

 private:
  template <class T>
  using Handle = std::unique_ptr<T, void (*)(T*)>;

  explicit PeerTls(const Texts& texts);
  [[nodiscard]] Result<void> read_authorities(const std::string& pem);
  [[nodiscard]] Result<void> read_identity(const std::string& certificates, const std::string& key);

  std::string server_name_;
  std::string fingerprint_;
  Handle<x509_store_st> store_;
  std::vector<Handle<x509_st>> chain_;
  Handle<evp_pkey_st> key_;
};

}  // namespace scaledcache::http
