// Certificates made on the spot with OpenSSL, good and bad, for tests of TLS.
#pragma once

#include <cstdlib>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include <unistd.h>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace scaledcache::support {

using Certificate = std::shared_ptr<X509>;
using Key = std::shared_ptr<EVP_PKEY>;

struct Identity {
  Certificate certificate;
  Key key;
};

struct CertificateRequest {
  std::string common_name = "peer";
  std::string alternative_names{};  // as in openssl.cnf: "DNS:a.example,IP:127.0.0.1"
  int valid_from_days = -1;         // relative to now
  int valid_until_days = 1;
  bool authority = false;
};

// Signs with `issuer`, or with the new key itself when there is none.
inline Identity make_identity(const CertificateRequest& request, const Identity* issuer = nullptr) {
  const Key key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const Certificate certificate(X509_new(), X509_free);
  X509* x509 = certificate.get();
  static long serial = 0;
  X509_set_version(x509, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(x509), ++serial);
  X509_time_adj_ex(X509_getm_notBefore(x509), request.valid_from_days, 0, nullptr);
  X509_time_adj_ex(X509_getm_notAfter(x509), request.valid_until_days, 0, nullptr);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(x509), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(request.common_name.c_str()),
                             -1, -1, 0);
  X509_set_issuer_name(x509,
                       X509_get_subject_name(issuer != nullptr ? issuer->certificate.get() : x509));
  X509_set_pubkey(x509, key.get());
  const auto extend = [&](int nid, const char* value) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, value);
    X509_add_ext(x509, extension, -1);
    X509_EXTENSION_free(extension);
  };
  extend(NID_basic_constraints, request.authority ? "critical,CA:TRUE" : "critical,CA:FALSE");
  if (!request.alternative_names.empty()) {
    extend(NID_subject_alt_name, request.alternative_names.c_str());
  }
  if (X509_sign(x509, issuer != nullptr ? issuer->key.get() : key.get(), EVP_sha256()) == 0) {
    throw std::runtime_error("cannot sign a certificate");
  }
  return {certificate, key};
}

inline Identity make_authority(std::string name = "Test CA") {
  return make_identity({.common_name = std::move(name), .authority = true});
}

inline std::string take_text(BIO* bio) {
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio, &text);
  std::string pem(text, static_cast<std::size_t>(size));
  BIO_free(bio);
  return pem;
}

inline std::string certificate_pem(const Identity& identity) {
  BIO* bio = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(bio, identity.certificate.get());
  return take_text(bio);
}

inline std::string key_pem(const Identity& identity) {
  BIO* bio = BIO_new(BIO_s_mem());
  PEM_write_bio_PrivateKey(bio, identity.key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  return take_text(bio);
}

// A file with this content that lives as long as the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view content) {
    const int fd = ::mkstemp(path_.data());
    if (fd < 0) {
      throw std::runtime_error("cannot make a temporary file");
    }
    ::close(fd);
    write(content);
  }

  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  ~TemporaryFile() { ::unlink(path_.c_str()); }

  // Replaces the content.
  void write(std::string_view content) const {
    std::ofstream file(path_, std::ios::trunc | std::ios::binary);
    if (!(file << content << std::flush)) {
      throw std::runtime_error("cannot write a temporary file");
    }
  }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/scaledcache-test-XXXXXX";
};

}  // namespace scaledcache::support
