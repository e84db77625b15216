#include "http/server_tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "http/openssl_pem.h"

namespace scaledcache::http {
namespace {

Error invalid(const char* message) {
  ERR_clear_error();
  return Error{ErrorCode::Invalid, message};
}

// Peers that offer HTTP/2 as well get HTTP/1.1; those that offer nothing get no answer about it.
int choose_protocol(SSL* /*connection*/,
                    const unsigned char** chosen,
                    unsigned char* chosen_size,
                    const unsigned char* offered,
                    unsigned int offered_size,
                    void* /*context*/) {
  static constexpr unsigned char kHttp11[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  const int found = SSL_select_next_proto(const_cast<unsigned char**>(chosen), chosen_size, kHttp11,
                                          sizeof kHttp11, offered, offered_size);
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

bool set_limits(SSL_CTX* context) {
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION |
                                   SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nullptr);
  SSL_CTX_set_alpn_select_cb(context, &choose_protocol, nullptr);
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
         SSL_CTX_set_num_tickets(context, 0) == 1;
}

bool show(SSL_CTX* context, const std::vector<CertificateHandle>& chain, EVP_PKEY* key) {
  if (SSL_CTX_use_certificate(context, chain.front().get()) != 1 ||
      SSL_CTX_use_PrivateKey(context, key) != 1 || SSL_CTX_check_private_key(context) != 1) {
    return false;
  }
  for (std::size_t i = 1; i < chain.size(); ++i) {
    if (SSL_CTX_add1_chain_cert(context, chain[i].get()) != 1) {
      return false;
    }
  }
  return true;
}

}  // namespace

Result<ServerTls> make_server_tls(const PemIdentity& identity) {
  const auto chain = read_certificates(identity.certificate_pem);
  if (chain.empty()) {
    return invalid("the server certificate holds no readable PEM certificate");
  }
  const KeyHandle key = read_key(identity.key_pem.reveal());
  if (key == nullptr) {
    return invalid("the server key is no readable, unencrypted PEM key");
  }
  ServerTls context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (context == nullptr || !set_limits(context.get())) {
    return invalid("OpenSSL refuses the settings of the server");
  }
  if (!show(context.get(), chain, key.get())) {
    return invalid("the server key does not belong to the server certificate");
  }
  ERR_clear_error();
  return context;
}

}  // namespace scaledcache::http
