#include "http/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "http/openssl_pem.h"

namespace scaledcache::http {
namespace {

Error invalid(std::string message) {
  ERR_clear_error();
  return Error{ErrorCode::Invalid, std::move(message)};
}

int owner_index() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

}  // namespace

bool is_ip_literal(const std::string& host) {
  const std::unique_ptr<ASN1_OCTET_STRING, decltype(&ASN1_OCTET_STRING_free)> address(
      a2i_IPADDRESS(host.c_str()), &ASN1_OCTET_STRING_free);
  ERR_clear_error();
  return address != nullptr;
}

ClientTls::ClientTls(std::string peer, bool verifies)
    : peer_(std::move(peer)), verifies_(verifies), store_(X509_STORE_new()) {}

Result<std::shared_ptr<const ClientTls>> ClientTls::create(const ClientTlsOptions& options,
                                                           std::string peer) {
  if (options.insecure_skip_verify && !options.ca_pem.empty()) {
    return invalid("a certificate authority is given, yet verification is switched off");
  }
  const std::shared_ptr<ClientTls> tls(
      new ClientTls(std::move(peer), !options.insecure_skip_verify));
  if (tls->verifies_) {
    if (auto loaded = tls->load_trust(options.ca_pem); !loaded) {
      return loaded.error();
    }
  }
  if (!options.certificate_pem.empty() || !options.key_pem.reveal().empty()) {
    if (auto loaded = tls->load_identity(options.certificate_pem, options.key_pem.reveal());
        !loaded) {
      return loaded.error();
    }
  }
  return std::shared_ptr<const ClientTls>(tls);
}

Result<void> ClientTls::load_trust(const std::string& pem) {
  const auto anchors = read_certificates(pem);
  if (anchors.empty()) {
    return invalid("the certificate authority holds no readable PEM certificate");
  }
  for (const auto& anchor : anchors) {
    if (X509_STORE_add_cert(store_.get(), anchor.get()) != 1) {
      return invalid("a certificate of the certificate authority cannot be used");
    }
  }
  return {};
}

Result<void> ClientTls::load_identity(const std::string& certificates, const std::string& key) {
  chain_ = read_certificates(certificates);
  if (chain_.empty()) {
    return invalid("the client certificate holds no readable PEM certificate");
  }
  key_ = read_key(key);
  if (key_ == nullptr) {
    return invalid("the client key is no readable, unencrypted PEM key");
  }
  if (X509_check_private_key(chain_.front().get(), key_.get()) != 1) {
    return invalid("the client key does not belong to the client certificate");
  }
  return {};
}

bool ClientTls::apply(SSL_CTX* context) const {
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  const bool done = SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
                    apply_trust(context) && apply_identity(context);
  ERR_clear_error();
  return done;
}

bool ClientTls::apply_trust(SSL_CTX* context) const {
  if (!verifies_) {
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nullptr);
    return true;
  }
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set1_cert_store(context, store_.get());
  X509_VERIFY_PARAM* rules = SSL_CTX_get0_param(context);
  X509_VERIFY_PARAM_set_flags(rules, X509_V_FLAG_PARTIAL_CHAIN);
  X509_VERIFY_PARAM_set_hostflags(
      rules, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  const int named = is_ip_literal(peer_)
                        ? X509_VERIFY_PARAM_set1_ip_asc(rules, peer_.c_str())
                        : X509_VERIFY_PARAM_set1_host(rules, peer_.c_str(), peer_.size());
  // Read back only by note_handshake, which casts to const again.
  SSL_CTX_set_ex_data(context, owner_index(), const_cast<ClientTls*>(this));
  SSL_CTX_set_info_callback(context, &ClientTls::note_handshake);
  return named == 1;
}

bool ClientTls::apply_identity(SSL_CTX* context) const {
  if (chain_.empty()) {
    return true;
  }
  if (SSL_CTX_use_certificate(context, chain_.front().get()) != 1 ||
      SSL_CTX_use_PrivateKey(context, key_.get()) != 1) {
    return false;
  }
  for (std::size_t i = 1; i < chain_.size(); ++i) {
    if (SSL_CTX_add1_chain_cert(context, chain_[i].get()) != 1) {
      return false;
    }
  }
  return true;
}

// An alert that we send is our refusal of the peer; the verify result says why.
void ClientTls::note_handshake(const SSL* connection, int where, int /*value*/) {
  const auto* self = static_cast<const ClientTls*>(
      SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), owner_index()));
  if ((where & SSL_CB_HANDSHAKE_START) != 0) {
    self->last_failure_ = X509_V_OK;
  }
  if ((where & SSL_CB_WRITE_ALERT) == SSL_CB_WRITE_ALERT) {
    self->last_failure_ = SSL_get_verify_result(connection);
  }
}

std::string ClientTls::last_failure() const {
  const long result = last_failure_;
  return result == X509_V_OK ? std::string() : X509_verify_cert_error_string(result);
}

}  // namespace scaledcache::http
