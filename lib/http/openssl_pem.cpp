#include "http/openssl_pem.h"

#include <memory>

#include <openssl/err.h>
#include <openssl/pem.h>

namespace scaledcache::http {
namespace {

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};

using Bio = std::unique_ptr<BIO, FreeBio>;

Bio reader(const std::string& pem) {
  return Bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

std::string text_of(BIO* bio) {
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio, &text);
  return {text, static_cast<std::size_t>(size)};
}

// Without it OpenSSL would ask a terminal for the passphrase of an encrypted key.
int no_passphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*context*/) {
  return -1;
}

}  // namespace

void FreeOpenssl::operator()(X509* certificate) const {
  X509_free(certificate);
}

void FreeOpenssl::operator()(X509_STORE* store) const {
  X509_STORE_free(store);
}

void FreeOpenssl::operator()(EVP_PKEY* key) const {
  EVP_PKEY_free(key);
}

std::vector<CertificateHandle> read_certificates(const std::string& pem) {
  std::vector<CertificateHandle> certificates;
  ERR_clear_error();
  const Bio bio = reader(pem);
  while (X509* certificate = PEM_read_bio_X509(bio.get(), nullptr, &no_passphrase, nullptr)) {
    certificates.emplace_back(certificate);
  }
  if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) {
    certificates.clear();
  }
  ERR_clear_error();
  return certificates;
}

KeyHandle read_key(const std::string& pem) {
  KeyHandle key(PEM_read_bio_PrivateKey(reader(pem).get(), nullptr, &no_passphrase, nullptr));
  ERR_clear_error();
  return key;
}

std::string write_certificate(X509& certificate) {
  const Bio bio(BIO_new(BIO_s_mem()));
  return PEM_write_bio_X509(bio.get(), &certificate) == 1 ? text_of(bio.get()) : std::string();
}

std::string write_key(EVP_PKEY& key) {
  const Bio bio(BIO_new(BIO_s_mem()));
  return PEM_write_bio_PrivateKey(bio.get(), &key, nullptr, nullptr, 0, nullptr, nullptr) == 1
             ? text_of(bio.get())
             : std::string();
}

}  // namespace scaledcache::http
