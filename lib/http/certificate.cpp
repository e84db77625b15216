#include "http/certificate.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include "http/openssl_pem.h"

namespace scaledcache::http {
namespace {

constexpr std::size_t kMaxDnsName = 253;
constexpr int kSerialBits = 127;  // positive, and far beyond any chance of meeting another

struct FreeExtension {
  void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
};

struct FreeNumber {
  void operator()(BIGNUM* number) const { BN_free(number); }
};

Error unavailable() {
  ERR_clear_error();
  return Error{ErrorCode::Unavailable, "OpenSSL cannot make a certificate"};
}

Error invalid(std::string message) {
  ERR_clear_error();
  return Error{ErrorCode::Invalid, std::move(message)};
}

std::time_t seconds_of(WallTime time) {
  return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

bool is_dns_name(const std::string& name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  };
  return !name.empty() && name.size() <= kMaxDnsName &&
         std::all_of(name.begin(), name.end(), plain);
}

bool set_serial(X509& certificate) {
  const std::unique_ptr<BIGNUM, FreeNumber> number(BN_new());
  return BN_rand(number.get(), kSerialBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(&certificate)) != nullptr;
}

bool set_dates(X509& certificate, const CertificateLife& life) {
  return ASN1_TIME_set(X509_getm_notBefore(&certificate), seconds_of(life.now - kClockSkew)) !=
             nullptr &&
         ASN1_TIME_set(X509_getm_notAfter(&certificate), seconds_of(life.now + life.span)) !=
             nullptr;
}

// A certificate with everything but issuer, extensions and signature.
CertificateHandle draft(const std::string& common_name,
                        EVP_PKEY& key,
                        const CertificateLife& life) {
  CertificateHandle certificate(X509_new());
  if (certificate == nullptr) {
    return certificate;
  }
  const auto* text = reinterpret_cast<const unsigned char*>(common_name.c_str());
  const bool done = X509_set_version(certificate.get(), X509_VERSION_3) == 1 &&
                    set_serial(*certificate) && set_dates(*certificate, life) &&
                    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN",
                                               MBSTRING_UTF8, text, -1, -1, 0) == 1 &&
                    X509_set_pubkey(certificate.get(), &key) == 1;
  return done ? std::move(certificate) : nullptr;
}

// Adds an extension as openssl.cnf writes it.
bool extend(X509& certificate, X509& issuer, int id, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, &issuer, &certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, FreeExtension> extension(
      X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str()));
  return extension != nullptr && X509_add_ext(&certificate, extension.get(), -1) == 1;
}

bool sign(X509& certificate, X509& issuer, EVP_PKEY& key) {
  return X509_set_issuer_name(&certificate, X509_get_subject_name(&issuer)) == 1 &&
         X509_sign(&certificate, &key, EVP_sha256()) != 0;
}

PemIdentity to_pem(X509& certificate, EVP_PKEY& key) {
  return {write_certificate(certificate), Secret<std::string>(write_key(key))};
}

std::string alternative_names(const std::vector<std::string>& dns_names) {
  std::string text;
  for (const std::string& name : dns_names) {
    text += (text.empty() ? "DNS:" : ",DNS:") + name;
  }
  return text;
}

WallTime to_wall(const ASN1_TIME* time) {
  std::tm fields{};
  ASN1_TIME_to_tm(time, &fields);
  return WallTime{std::chrono::seconds{timegm(&fields)}};
}

CertificateHandle first_certificate(const std::string& pem) {
  auto certificates = read_certificates(pem);
  return certificates.empty() ? nullptr : std::move(certificates.front());
}

}  // namespace

Result<PemIdentity> make_authority(const std::string& common_name, const CertificateLife& life) {
  const KeyHandle key(EVP_EC_gen("P-256"));
  const CertificateHandle certificate = key ? draft(common_name, *key, life) : nullptr;
  if (certificate == nullptr) {
    return unavailable();
  }
  X509& x509 = *certificate;
  const bool done = extend(x509, x509, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
                    extend(x509, x509, NID_key_usage, "critical,keyCertSign") &&
                    extend(x509, x509, NID_subject_key_identifier, "hash") &&
                    sign(x509, x509, *key);
  return done ? Result<PemIdentity>(to_pem(x509, *key)) : unavailable();
}

Result<PemIdentity> make_leaf(const PemIdentity& authority,
                              const std::vector<std::string>& dns_names,
                              const CertificateLife& life) {
  if (dns_names.empty() || !std::all_of(dns_names.begin(), dns_names.end(), is_dns_name)) {
    return invalid("a certificate needs DNS names of lower-case letters, digits, '-' and '.'");
  }
  const CertificateHandle issuer = first_certificate(authority.certificate_pem);
  const KeyHandle issuer_key = read_key(authority.key_pem.reveal());
  if (issuer == nullptr || issuer_key == nullptr ||
      X509_check_private_key(issuer.get(), issuer_key.get()) != 1) {
    return invalid("the authority's certificate and key cannot be used");
  }
  const KeyHandle key(EVP_EC_gen("P-256"));
  // A common name holds 64 characters; names are checked against subjectAltName only.
  const CertificateHandle certificate = key ? draft("scaledcache webhook", *key, life) : nullptr;
  if (certificate == nullptr) {
    return unavailable();
  }
  X509& x509 = *certificate;
  const bool done = extend(x509, *issuer, NID_basic_constraints, "critical,CA:FALSE") &&
                    extend(x509, *issuer, NID_key_usage, "critical,digitalSignature") &&
                    extend(x509, *issuer, NID_ext_key_usage, "serverAuth") &&
                    extend(x509, *issuer, NID_subject_alt_name, alternative_names(dns_names)) &&
                    extend(x509, *issuer, NID_authority_key_identifier, "keyid:always") &&
                    sign(x509, *issuer, *issuer_key);
  return done ? Result<PemIdentity>(to_pem(x509, *key)) : unavailable();
}

Result<CertificateDates> dates_of(const std::string& pem) {
  const CertificateHandle certificate = first_certificate(pem);
  if (certificate == nullptr) {
    return invalid("no readable PEM certificate");
  }
  return CertificateDates{to_wall(X509_get0_notBefore(certificate.get())),
                          to_wall(X509_get0_notAfter(certificate.get()))};
}

bool is_signed_by(const std::string& leaf_pem, const std::string& authorities_pem) {
  const CertificateHandle leaf = first_certificate(leaf_pem);
  const auto authorities = read_certificates(authorities_pem);
  const bool found = leaf != nullptr &&
                     std::any_of(authorities.begin(), authorities.end(), [&](const auto& issuer) {
                       return X509_check_issued(issuer.get(), leaf.get()) == X509_V_OK &&
                              X509_verify(leaf.get(), X509_get0_pubkey(issuer.get())) == 1;
                     });
  ERR_clear_error();
  return found;
}

bool is_for(const std::string& leaf_pem, const std::string& dns_name) {
  const CertificateHandle leaf = first_certificate(leaf_pem);
  const bool found =
      leaf != nullptr && X509_check_host(leaf.get(), dns_name.data(), dns_name.size(),
                                         X509_CHECK_FLAG_NEVER_CHECK_SUBJECT, nullptr) == 1;
  ERR_clear_error();
  return found;
}

bool is_usable(const PemIdentity& identity) {
  const CertificateHandle certificate = first_certificate(identity.certificate_pem);
  const KeyHandle key = read_key(identity.key_pem.reveal());
  const bool usable = certificate != nullptr && key != nullptr &&
                      X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  return usable;
}

std::vector<std::string> split_certificates(const std::string& pem) {
  std::vector<std::string> texts;
  for (const CertificateHandle& certificate : read_certificates(pem)) {
    texts.push_back(write_certificate(*certificate));
  }
  return texts;
}

}  // namespace scaledcache::http
