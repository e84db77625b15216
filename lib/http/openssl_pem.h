// Reading and writing PEM with OpenSSL's types. Internal to this folder.
#pragma once

#include <string>
#include <vector>

#include <openssl/evp.h>
#include <openssl/x509.h>

#include "http/openssl_handles.h"

namespace scaledcache::http {

// Every certificate of `pem`, in order; empty when there is none or one of them is broken.
[[nodiscard]] std::vector<CertificateHandle> read_certificates(const std::string& pem);

// nullptr when it is no unencrypted private key.
[[nodiscard]] KeyHandle read_key(const std::string& pem);

[[nodiscard]] std::string write_certificate(X509& certificate);
[[nodiscard]] std::string write_key(EVP_PKEY& key);

}  // namespace scaledcache::http
