// What the files of an identity hold: a token, certificates, a key. Says what is wrong with them
// without repeating them.
#pragma once

#include <string_view>

#include "base/result.h"
#include "base/secret.h"
#include "http/tls.h"
#include "k8s/files.h"
#include "k8s/kubeconfig.h"

namespace scaledcache::k8s {

// The token without the white space around it. Invalid when it is empty or holds what a header
// cannot carry.
[[nodiscard]] Result<Secret<std::string>> decode_token(std::string_view content);

// Invalid unless `text` holds a PEM certificate.
[[nodiscard]] Result<void> check_certificate(std::string_view text);

// Invalid unless `text` holds a PEM private key without a pass phrase.
[[nodiscard]] Result<void> check_key(std::string_view text);

// The TLS options of `config` with every text that has a file read again. The error of the first
// file that cannot be read or is none of its kind.
[[nodiscard]] Result<http::ClientTlsOptions> read_tls(const ClusterConfig& config,
                                                      const FileReader& read);

}  // namespace scaledcache::k8s
