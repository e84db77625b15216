#include "controller/backend_access.h"

#include <utility>

#include "base/json.h"
#include "http/url.h"
#include "k8s/base64.h"

namespace scaledcache::controller {
namespace {

constexpr std::chrono::seconds kTokenLife{3'600};
constexpr std::size_t kMostKept = 1'000;  // beyond it all are made again
constexpr const char* kAccessManager = "scaledcache-operator";

prom::SecretHeader authorization(const std::string& scheme, const std::string& value) {
  return {"Authorization", Secret<std::string>(scheme + " " + value)};
}

// Files and `kubectl create secret --from-file` leave a line end behind the value.
std::string without_line_end(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) {
    text.pop_back();
  }
  return text;
}

bool is_https(const std::string& url) {
  const auto parsed = http::parse_url(url);
  return parsed && parsed->scheme == "https";
}

}  // namespace

Result<std::vector<prom::SecretHeader>> BackendAccess::headers(const AccessPlace& place,
                                                               const k8s::AuthSpec& auth,
                                                               const std::stop_token& stop) {
  if (!is_https(place.url) && !auth.allow_insecure) {
    return Error{ErrorCode::Invalid,
                 "spec.backend.auth: credentials are sent over https only, unless allowInsecure is "
                 "true"};
  }
  using Headers = std::vector<prom::SecretHeader>;
  if (auth.bearer_service_account) {
    auto token = service_token(place, *auth.bearer_service_account, stop);
    return token ? Result<Headers>(Headers{authorization("Bearer", token->reveal())})
                 : token.error();
  }
  const k8s::KeyRef* ref = auth.bearer_secret ? &*auth.bearer_secret
                           : auth.basic       ? &auth.basic->password
                           : auth.header      ? &auth.header->secret
                                              : nullptr;
  if (ref == nullptr) {
    return Headers{};
  }
  const auto value = header_value(place, *ref, stop);
  if (!value) {
    return value.error();
  }
  if (auth.bearer_secret) {
    return Headers{authorization("Bearer", value->reveal())};
  }
  if (auth.basic) {
    return Headers{
        authorization("Basic", k8s::encode_base64(auth.basic->username + ":" + value->reveal()))};
  }
  return Headers{{auth.header->name, *value}};
}

Result<Secret<std::string>> BackendAccess::header_value(const AccessPlace& place,
                                                        const k8s::KeyRef& ref,
                                                        const std::stop_token& stop) {
  const auto secret = objects_.secret(place, ref.name, stop);
  if (!secret) {
    return secret.error();
  }
  const auto value = secret->value(ref.key);
  if (!value) {
    return value.error();
  }
  return Secret<std::string>(without_line_end(value->reveal()));
}

Result<Secret<std::string>> BackendAccess::service_token(
    const AccessPlace& place,
    const k8s::AuthSpec::ServiceAccount& account,
    const std::stop_token& stop) {
  const auto path = objects_.account_path(place, account.name, stop);
  if (!path) {
    return path.error();
  }
  const std::string key = place.name_space + "/" + account.name + "/" + account.audience;
  const SteadyTime now = clock_.steady();
  {
    MutexLock lock(mutex_);
    const auto kept = tokens_.find(key);
    if (kept != tokens_.end() && now < kept->second.renew) {
      return kept->second.value;
    }
  }
  Json spec{{"expirationSeconds", kTokenLife.count()}};
  if (!account.audience.empty()) {
    spec["audiences"] = Json::array({account.audience});
  }
  const auto made = client_.post({*path + "/token",
                                  dump_json({{"apiVersion", "authentication.k8s.io/v1"},
                                             {"kind", "TokenRequest"},
                                             {"spec", std::move(spec)}}),
                                  kAccessManager},
                                 stop);
  if (!made) {
    return made.error();
  }
  const Json* status = find_member(*made, "status");
  Secret<std::string> token(status == nullptr ? "" : string_member(*status, "token"));
  if (token.reveal().empty()) {
    return Error{ErrorCode::Protocol, "ServiceAccount " + place.name_space + "/" + account.name +
                                          ": the API server gave no token"};
  }
  MutexLock lock(mutex_);
  if (tokens_.size() >= kMostKept) {
    tokens_.clear();
  }
  tokens_[key] = {token, now + kTokenLife * 4 / 5};
  return token;
}

Result<BackendAccess::TlsTexts> BackendAccess::read_tls(const AccessPlace& place,
                                                        const k8s::TlsSpec& spec,
                                                        const std::stop_token& stop) {
  TlsTexts read;
  read.texts.server_name = spec.server_name;
  if (spec.ca && spec.ca->config_map) {
    auto text = objects_.text_of_config_map(place, spec.ca->ref, stop);
    if (!text) {
      return text.error();
    }
    read.texts.ca_pem = *std::move(text);
    read.ca = "ConfigMap " + place.name_space + "/" + spec.ca->ref.name;
  } else if (spec.ca) {
    // It is not sent, yet whether it is a certificate would tell something of any Secret.
    const auto secret = objects_.secret(place, spec.ca->ref.name, stop);
    if (!secret) {
      return secret.error();
    }
    const auto text = secret->value(spec.ca->ref.key);
    if (!text) {
      return text.error();
    }
    read.texts.ca_pem = text->reveal();
    read.ca = secret->what;
  }
  if (spec.client_certificate) {
    const auto secret = objects_.secret(place, *spec.client_certificate, stop);
    if (!secret) {
      return secret.error();
    }
    const auto certificate = secret->value("tls.crt");
    const auto key = secret->value("tls.key");
    if (!certificate || !key) {
      return certificate ? key.error() : certificate.error();
    }
    read.texts.certificate_pem = certificate->reveal();
    read.texts.key_pem = *key;
    read.client = secret->what;
  }
  return read;
}

Result<std::shared_ptr<const http::PeerTls>> BackendAccess::tls(const AccessPlace& place,
                                                                const k8s::TlsSpec& spec,
                                                                const std::stop_token& stop) {
  if (!is_https(place.url)) {
    return Error{ErrorCode::Invalid, "spec.backend.tls has no use, since the address is http"};
  }
  const auto read = read_tls(place, spec, stop);
  if (!read) {
    return read.error();
  }
  auto made = http::PeerTls::create(read->texts);
  if (!made) {
    const bool authorities_are_good =
        http::PeerTls::create({.ca_pem = read->texts.ca_pem}).has_value();
    const std::string& culprit = authorities_are_good ? read->client : read->ca;
    return Error{ErrorCode::Invalid, culprit + ": " + made.error().message};
  }
  return made;
}

}  // namespace scaledcache::controller
