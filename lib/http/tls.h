// Trust and identity of a TLS client, read once from PEM text and shared by its connections.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "http/openssl_handles.h"

struct ssl_ctx_st;
struct ssl_st;

namespace scaledcache::http {

struct ClientTlsOptions {
  std::string ca_pem{};           // the only trust anchors; an intermediate certificate may be one
  std::string certificate_pem{};  // the client's chain, leaf first; empty: no client certificate
  Secret<std::string> key_pem{};  // unencrypted
  bool insecure_skip_verify = false;  // accept any peer; needs ca_pem to be empty

  bool operator==(const ClientTlsOptions&) const = default;
};

// Thread safe and immutable but for the note of the last failure.
class ClientTls {
 public:
  // `peer` is the host name or IP literal that the peer must prove. Invalid when the text is not
  // PEM, is empty where needed, or key and certificate do not belong together.
  [[nodiscard]] static Result<std::shared_ptr<const ClientTls>> create(
      const ClientTlsOptions& options, std::string peer);

  // Gives a fresh context the store, the expected name, the identity and the limits: TLS 1.2 or
  // newer, no session cache or tickets (they would outlive a rotated certificate). The context must
  // not be used longer than *this. False when OpenSSL refuses.
  [[nodiscard]] bool apply(ssl_ctx_st* context) const;

  [[nodiscard]] bool verifies() const { return verifies_; }

  // Why the last handshake refused the peer, as OpenSSL says it; empty when it did not.
  [[nodiscard]] std::string last_failure() const;

 private:
  ClientTls(std::string peer, bool verifies);
  static void note_handshake(const ssl_st* connection, int where, int value);
  [[nodiscard]] Result<void> load_trust(const std::string& pem);
  [[nodiscard]] Result<void> load_identity(const std::string& certificates, const std::string& key);
  [[nodiscard]] bool apply_trust(ssl_ctx_st* context) const;
  [[nodiscard]] bool apply_identity(ssl_ctx_st* context) const;

  std::string peer_;
  bool verifies_;
  StoreHandle store_;
  std::vector<CertificateHandle> chain_;
  KeyHandle key_;
  mutable std::atomic<long> last_failure_{0};
};

// True for "10.0.0.1" and "2001:db8::1" (no brackets).
[[nodiscard]] bool is_ip_literal(const std::string& host);

}  // namespace scaledcache::http
