#include "http/peer_tls.h"

#include <array>
#include <string_view>
#include <utility>

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "http/ascii.h"
#include "http/openssl_pem.h"

namespace scaledcache::http {
namespace {

Error invalid(const char* message) {
  return Error{ErrorCode::Invalid, message};
}

void free_store(X509_STORE* store) {
  X509_STORE_free(store);
}

void free_certificate(X509* certificate) {
  X509_free(certificate);
}

void free_key(EVP_PKEY* key) {
  EVP_PKEY_free(key);
}

// SHA-256 in hexadecimal digits; the lengths keep the parts from running together.
std::string digest_of(const PeerTls::Texts& texts) {
  std::string all;
  for (const std::string* part :
       {&texts.ca_pem, &texts.server_name, &texts.certificate_pem, &texts.key_pem.reveal()}) {
    all += std::to_string(part->size()) + ":" + *part;
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVP_Digest(all.data(), all.size(), digest.data(), &size, EVP_sha256(), nullptr);
  OPENSSL_cleanse(all.data(), all.size());
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    text += kHex[digest[i] >> 4];
    text += kHex[digest[i] & 15];
  }
  return text;
}

}  // namespace

PeerTls::PeerTls(const Texts& texts)
    : server_name_(to_lower(texts.server_name)),
      fingerprint_(digest_of(texts)),
      store_(nullptr, &free_store),
      key_(nullptr, &free_key) {}

Result<std::shared_ptr<const PeerTls>> PeerTls::create(const Texts& texts) {
  const std::shared_ptr<PeerTls> tls(new PeerTls(texts));
  if (!texts.ca_pem.empty()) {
    if (auto read = tls->read_authorities(texts.ca_pem); !read) {
      return read.error();
    }
  }
  if (!texts.certificate_pem.empty() || !texts.key_pem.reveal().empty()) {
    if (auto read = tls->read_identity(texts.certificate_pem, texts.key_pem.reveal()); !read) {
      return read.error();
    }
  }
  return std::shared_ptr<const PeerTls>(tls);
}

Result<void> PeerTls::read_authorities(const std::string& pem) {
  const auto authorities = read_certificates(pem);
  if (authorities.empty()) {
    return invalid("there is no readable PEM certificate of an authority");
  }
  store_.reset(X509_STORE_new());
  for (const auto& authority : authorities) {
    if (store_ == nullptr || X509_STORE_add_cert(store_.get(), authority.get()) != 1) {
      ERR_clear_error();
      return invalid("a certificate of an authority cannot be used");
    }
  }
  return {};
}

Result<void> PeerTls::read_identity(const std::string& certificates, const std::string& key) {
  if (key.empty()) {
    return invalid("the client certificate has no key");
  }
  for (auto& certificate : read_certificates(certificates)) {
    chain_.emplace_back(certificate.release(), &free_certificate);
  }
  if (chain_.empty()) {
    return invalid("there is no readable PEM client certificate");
  }
  key_.reset(read_key(key).release());
  if (key_ == nullptr) {
    return invalid("the client key is no readable PEM key without a pass phrase");
  }
  if (X509_check_private_key(chain_.front().get(), key_.get()) != 1) {
    ERR_clear_error();
    return invalid("the client key does not belong to the client certificate");
  }
  return {};
}

Result<void> PeerTls::show_identity(ssl_ctx_st& context) const {
  if (chain_.empty()) {
    return {};
  }
  bool taken = SSL_CTX_use_certificate(&context, chain_.front().get()) == 1 &&
               SSL_CTX_use_PrivateKey(&context, key_.get()) == 1;
  for (std::size_t i = 1; i < chain_.size(); ++i) {
    taken = taken && SSL_CTX_add1_chain_cert(&context, chain_[i].get()) == 1;
  }
  ERR_clear_error();
  return taken ? Result<void>()
               : Error{ErrorCode::Unavailable, "the client certificate cannot be shown"};
}

}  // namespace scaledcache::http
