#include "k8s/kubeconfig_entry.h"

#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "http/url.h"
#include "k8s/api_error.h"
#include "k8s/base64.h"
#include "k8s/identity_files.h"

namespace scaledcache::k8s {
namespace {

struct Refused {
  const char* field;
  const char* allowed;
};

constexpr const char* kUserAllows =
    "is set, but only token, tokenFile, client-certificate and client-key are supported";

constexpr std::array kRefusedOfUser{
    Refused{"exec", kUserAllows},
    Refused{"auth-provider", kUserAllows},
    Refused{"username", kUserAllows},
    Refused{"password", kUserAllows},
    Refused{"as", "is set, but impersonation is not supported"},
    Refused{"as-uid", "is set, but impersonation is not supported"},
    Refused{"as-groups", "is set, but impersonation is not supported"},
    Refused{"as-user-extra", "is set, but impersonation is not supported"},
};

constexpr std::array kRefusedOfCluster{
    Refused{"proxy-url", "is set, but the server must be reachable without a proxy"},
    Refused{"tls-server-name", "is set, but the certificate must be valid for the host of server"},
};

template <class List>
Result<void> check_refused(const NamedEntry& named, const List& list) {
  for (const Refused& refused : list) {
    if (!named.entry.field(refused.field).empty()) {
      return named.invalid(refused.field, refused.allowed);
    }
  }
  return {};
}

// A PEM text from `<field>-data`, which wins, or from the file that `<field>` names.
struct PemText {
  std::string pem;
  std::string file;
};

Result<PemText> pem_of(const NamedEntry& named,
                       const std::string& field,
                       Result<void> (*check)(std::string_view),
                       const FileReader& read) {
  PemText text;
  std::string where = field;
  if (const std::string data = named.entry.field(field + "-data"); !data.empty()) {
    where += "-data";
    auto decoded = decode_base64(data);
    if (!decoded) {
      return named.invalid(where, "must be base64");
    }
    text.pem = std::move(*decoded);
  } else if (text.file = named.file(field); !text.file.empty()) {
    auto content = read(text.file);
    if (!content) {
      return named.invalid(where, "names a file that must be readable: " + content.error().message);
    }
    text.pem = std::move(*content);
  } else {
    return text;
  }
  if (const auto sound = check(text.pem); !sound) {
    return named.invalid(where, sound.error().message);
  }
  return text;
}

// What a message may repeat of a server's address: everything but a password.
std::string quoted(const std::string& server) {
  return server.find('@') == std::string::npos ? "\"" + printable(server) + "\""
                                               : std::string("an address with a user name");
}

Result<http::Url> take_server(const NamedEntry& cluster, ClusterConfig& config) {
  const std::string server = cluster.entry.field("server");
  auto url = http::parse_url(server);
  if (!url || !url->query.empty()) {
    return cluster.invalid("server",
                           "is " + quoted(server) + ", must be https://host[:port][/path]");
  }
  if (url->host.find(':') != std::string::npos) {
    return cluster.invalid(
        "server", "is " + quoted(server) + ", must name a host or an IPv4 address, not IPv6");
  }
  config.origin = url->origin();
  config.path_prefix = url->path.substr(0, url->path.find_last_not_of('/') + 1);
  return url;
}

Result<void> take_trust(const NamedEntry& cluster, const FileReader& read, ClusterConfig& config) {
  auto ca = pem_of(cluster, "certificate-authority", check_certificate, read);
  if (!ca) {
    return ca.error();
  }
  const std::string insecure = cluster.entry.field("insecure-skip-tls-verify");
  if (!insecure.empty() && insecure != "true" && insecure != "false") {
    return cluster.invalid("insecure-skip-tls-verify",
                           "is \"" + printable(insecure) + "\", must be true or false");
  }
  if (insecure == "true" && !ca->pem.empty()) {
    return cluster.invalid("insecure-skip-tls-verify",
                           "is true, must not stand beside certificate-authority");
  }
  config.tls.insecure_skip_verify = insecure == "true";
  config.tls.ca_pem = std::move(ca->pem);
  config.ca_file = std::move(ca->file);
  if (config.tls.ca_pem.empty() && !config.tls.insecure_skip_verify) {
    return cluster.invalid("certificate-authority", "is missing, must name the server's CA");
  }
  return {};
}

Result<void> take_client_certificate(const NamedEntry& user,
                                     const FileReader& read,
                                     ClusterConfig& config) {
  auto certificate = pem_of(user, "client-certificate", check_certificate, read);
  if (!certificate) {
    return certificate.error();
  }
  auto key = pem_of(user, "client-key", check_key, read);
  if (!key) {
    return key.error();
  }
  if (certificate->pem.empty() != key->pem.empty()) {
    const bool no_key = key->pem.empty();
    return user.invalid(no_key ? "client-key" : "client-certificate",
                        "is missing, must stand beside the other of the pair");
  }
  config.tls.certificate_pem = std::move(certificate->pem);
  config.certificate_file = std::move(certificate->file);
  config.tls.key_pem = Secret(std::move(key->pem));
  config.key_file = std::move(key->file);
  return {};
}

Result<void> take_token(const NamedEntry& user, const FileReader& read, ClusterConfig& config) {
  if (const std::string token = user.entry.field("token"); !token.empty()) {
    auto decoded = decode_token(token);
    if (!decoded) {
      return user.invalid("token", decoded.error().message);
    }
    config.token = std::move(*decoded);
  }
  config.token_file = user.file("tokenFile");
  if (config.token_file.empty()) {
    return {};
  }
  auto decoded = read(config.token_file).and_then([](const std::string& content) {
    return decode_token(content);
  });
  if (decoded) {
    config.token = std::move(*decoded);
  } else if (config.token.reveal().empty()) {
    return user.invalid("tokenFile",
                        "must name a readable file with a token: " + decoded.error().message);
  }
  return {};
}

bool is_loopback(const std::string& host) {
  const bool is_dotted_quad = host.find_first_not_of("0123456789.") == std::string::npos;
  return host == "localhost" || (is_dotted_quad && host.rfind("127.", 0) == 0);
}

// A token or a certificate shown over plain http is everybody's.
Result<void> check_plain_http(const NamedEntry& cluster,
                              const http::Url& url,
                              const ClusterConfig& config) {
  const bool has_identity = !config.token.reveal().empty() || !config.tls.certificate_pem.empty();
  if (url.scheme == "http" && has_identity && !is_loopback(url.host)) {
    return cluster.invalid("server", "is plain http, must be https when the user has credentials");
  }
  return {};
}

}  // namespace

Error NamedEntry::invalid(const std::string& field, const std::string& what) const {
  return Error{ErrorCode::Invalid,
               "kubeconfig " + entry.file + ": " + path + "." + field + " " + what};
}

std::string NamedEntry::file(const std::string& field) const {
  const std::string text = entry.field(field);
  if (text.empty()) {
    return {};
  }
  return (std::filesystem::path(entry.file).parent_path() / text).lexically_normal();
}

Result<void> take_cluster(const NamedEntry& cluster,
                          const NamedEntry& user,
                          const FileReader& read,
                          ClusterConfig& config) {
  for (const Result<void>& refused :
       {check_refused(cluster, kRefusedOfCluster), check_refused(user, kRefusedOfUser)}) {
    if (!refused) {
      return refused.error();
    }
  }
  const auto url = take_server(cluster, config);
  if (!url) {
    return url.error();
  }
  if (url->scheme == "https") {
    if (const auto trust = take_trust(cluster, read, config); !trust) {
      return trust.error();
    }
  }
  if (const auto certificate = take_client_certificate(user, read, config); !certificate) {
    return certificate.error();
  }
  if (const auto token = take_token(user, read, config); !token) {
    return token.error();
  }
  return check_plain_http(cluster, *url, config);
}

}  // namespace scaledcache::k8s
