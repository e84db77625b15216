// Certificates for a TLS server of ours: an authority of its own, leaves that it signs, and what a
// certificate says. OpenSSL only; nothing here reads a clock or a file.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/secret.h"

namespace scaledcache::http {

// A certificate and its private key, as PEM. For a server the leaf comes first.
struct PemIdentity {
  std::string certificate_pem{};
  Secret<std::string> key_pem{};

  bool operator==(const PemIdentity&) const = default;
};

// A clock that is slow by less than this still accepts a certificate made just now.
inline constexpr std::chrono::hours kClockSkew{1};

struct CertificateLife {
  WallTime now;                  // valid from kClockSkew before it
  std::chrono::seconds span{0};  // valid until now + span
};

// When a certificate begins and ends to be valid, to the second.
struct CertificateDates {
  WallTime not_before;
  WallTime not_after;

  bool operator==(const CertificateDates&) const = default;
};

// A self-signed authority with a new ECDSA P-256 key, which may sign leaves only. Unavailable when
// OpenSSL fails.
[[nodiscard]] Result<PemIdentity> make_authority(const std::string& common_name,
                                                 const CertificateLife& life);

// A server's certificate for `dns_names` (at least one), signed by `authority`, with a new ECDSA
// P-256 key. Invalid: a name is no DNS name, or the authority cannot be read.
[[nodiscard]] Result<PemIdentity> make_leaf(const PemIdentity& authority,
                                            const std::vector<std::string>& dns_names,
                                            const CertificateLife& life);

// Of the first certificate of `pem`. Invalid when there is none.
[[nodiscard]] Result<CertificateDates> dates_of(const std::string& pem);

// Whether the first certificate of `leaf_pem` carries the signature of one of `authorities_pem`.
// Dates are not looked at.
[[nodiscard]] bool is_signed_by(const std::string& leaf_pem, const std::string& authorities_pem);

// Whether the first certificate is made out for `dns_name` in its subjectAltName.
[[nodiscard]] bool is_for(const std::string& leaf_pem, const std::string& dns_name);

// Whether the key belongs to the first certificate and both can be read.
[[nodiscard]] bool is_usable(const PemIdentity& identity);

// Every certificate of `pem`, each as PEM of its own in OpenSSL's form; none when one is broken.
[[nodiscard]] std::vector<std::string> split_certificates(const std::string& pem);

}  // namespace scaledcache::http
