#include "k8s/identity_files.h"

#include <algorithm>
#include <string>
#include <utility>

namespace scaledcache::k8s {
namespace {

constexpr std::string_view kWhiteSpace = " \t\r\n";

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Replaces `text` by the content of `file`, when there is one.
Result<void> read_text(const std::string& file,
                       const FileReader& read,
                       Result<void> (*check)(std::string_view),
                       std::string& text) {
  if (file.empty()) {
    return {};
  }
  Result<std::string> content = read(file);
  if (!content) {
    return content.error();
  }
  if (const Result<void> sound = check(*content); !sound) {
    return Error{sound.error().code, file + " " + sound.error().message};
  }
  text = std::move(*content);
  return {};
}

}  // namespace

Result<Secret<std::string>> decode_token(std::string_view content) {
  const std::size_t first = content.find_first_not_of(kWhiteSpace);
  if (first == std::string_view::npos) {
    return Error{ErrorCode::Invalid, "is empty, must hold a token"};
  }
  const std::size_t last = content.find_last_not_of(kWhiteSpace);
  const std::string_view token = content.substr(first, last - first + 1);
  const bool printable =
      std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (!printable) {
    return Error{ErrorCode::Invalid, "must hold one token of printable ASCII without blanks"};
  }
  return Secret(std::string(token));
}

Result<void> check_certificate(std::string_view text) {
  if (!contains(text, "-----BEGIN CERTIFICATE-----")) {
    return Error{ErrorCode::Invalid, "must hold certificates in PEM form"};
  }
  return {};
}

Result<void> check_key(std::string_view text) {
  if (contains(text, "ENCRYPTED")) {
    return Error{ErrorCode::Invalid, "must hold a private key without a pass phrase"};
  }
  if (!contains(text, "-----BEGIN ") || !contains(text, "PRIVATE KEY-----")) {
    return Error{ErrorCode::Invalid, "must hold a private key in PEM form"};
  }
  return {};
}

Result<http::ClientTlsOptions> read_tls(const ClusterConfig& config, const FileReader& read) {
  http::ClientTlsOptions tls = config.tls;
  std::string key = tls.key_pem.reveal();
  for (const Result<void>& outcome :
       {read_text(config.ca_file, read, check_certificate, tls.ca_pem),
        read_text(config.certificate_file, read, check_certificate, tls.certificate_pem),
        read_text(config.key_file, read, check_key, key)}) {
    if (!outcome) {
      return outcome.error();
    }
  }
  tls.key_pem = Secret(std::move(key));
  return tls;
}

}  // namespace scaledcache::k8s
